/** Beside the group from 64rem on; below, it is on the first page only, and a group is the next page. */
import { ChevronLeft, ChevronRight, Search } from "lucide-react";
import { Link } from "wouter";
import { t } from "../../texts/texts.ts";
import { modifierName, openPalette } from "../palette/palette-store.ts";
import { type SettingsPart, settingsParts } from "./settings-index.ts";

export function SettingsIndex({ path }: { path: SettingsPart["path"] }) {
  return (
    <nav className="settings-index" aria-label={t("Settings")}>
      <ul>
        {settingsParts.map(({ path: href, title, icon: Icon }) => (
          <li key={href}>
            <Link href={href} aria-current={href === path ? "page" : undefined}>
              <Icon className="i" aria-hidden />
              {title}
              <ChevronRight className="i to" aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" className="btn btn-sm" onClick={openPalette}>
        <Search className="i" aria-hidden />
        {t("Search settings")}
        <kbd aria-hidden="true">{modifierName()} K</kbd>
      </button>
    </nav>
  );
}

export function BackToIndex() {
  return (
    <Link className="settings-back" href="/settings">
      <ChevronLeft className="i" aria-hidden />
      {t("All settings")}
    </Link>
  );
}
