/** The choice of light, dark or `system` theme; the top bar's toggle offers no `system`. */
import { setTheme, type Theme, themes, useTheme } from "../../app/theme.ts";
import { Card, Setting } from "../../ui/Card.tsx";

const words: Record<Theme, string> = { light: "Light", dark: "Dark", system: "System" };

export function AppearanceCard() {
  const current = useTheme();
  return (
    <Card id="appearance" title="Appearance">
      <Setting
        look="appearance"
        title="Theme"
        titleId="theme-name"
        text={<span id="theme-text">System follows the setting of your device. Kept in this browser only.</span>}
      >
        <div className="segments" role="radiogroup" aria-labelledby="theme-name" aria-describedby="theme-text">
          {themes.map((theme) => (
            <label key={theme}>
              <input type="radio" name="theme" checked={theme === current} onChange={() => setTheme(theme)} />
              <span>{words[theme]}</span>
            </label>
          ))}
        </div>
      </Setting>
    </Card>
  );
}
