/** The choice of light, dark or `system` theme (the top bar's toggle offers no `system`) and of the language. */
import { type Language, languageCookie, languages } from "@kauke/contract/languages";
import { setTheme, type Theme, themes, useTheme } from "../../app/theme.ts";
import { language, t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";

const words: Record<Theme, string> = { light: t("Light"), dark: t("Dark"), system: t("System") };

/** The document is in one language, so the choice loads it again. */
function chooseLanguage(chosen: string): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it with the next request.
  document.cookie = `${languageCookie}=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  location.reload();
}

export function AppearanceCard() {
  const current = useTheme();
  return (
    <Card id="appearance" title={t("Appearance")}>
      <Setting
        look="appearance"
        title={t("Theme")}
        titleId="theme-name"
        text={<span id="theme-text">{t("System follows the setting of your device. Kept in this browser only.")}</span>}
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
      <Setting
        look="appearance"
        title={t("Language")}
        titleId="language-name"
        text={
          <span id="language-text">
            {t("Without a choice, that of your browser. The page loads again; what you have typed stays.")}
          </span>
        }
      >
        <div className="segments" role="radiogroup" aria-labelledby="language-name" aria-describedby="language-text">
          {(Object.keys(languages) as Language[]).map((tag) => (
            <label key={tag}>
              <input type="radio" name="language" checked={tag === language()} onChange={() => chooseLanguage(tag)} />
              <span lang={tag}>{languages[tag]}</span>
            </label>
          ))}
        </div>
      </Setting>
    </Card>
  );
}
