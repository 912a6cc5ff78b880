/** Setting for the theme: light, dark, or the system's. The top bar's toggle offers the first two only. */
import { setTheme, type Theme, themes, useTheme } from "../../app/theme.ts";

const words: Record<Theme, string> = { light: "Light", dark: "Dark", system: "System" };

export function AppearanceCard() {
  const current = useTheme();
  return (
    <section className="card" aria-labelledby="appearance">
      <div className="card-head">
        <h3 id="appearance">Appearance</h3>
      </div>
      <div className="card-body setting appearance">
        <div>
          <h4 id="theme-name">Theme</h4>
          <p id="theme-text">System follows the setting of your device. Kept in this browser only.</p>
        </div>
        <div className="segments" role="radiogroup" aria-labelledby="theme-name" aria-describedby="theme-text">
          {themes.map((theme) => (
            <label key={theme}>
              <input type="radio" name="theme" checked={theme === current} onChange={() => setTheme(theme)} />
              <span>{words[theme]}</span>
            </label>
          ))}
        </div>
      </div>
    </section>
  );
}
