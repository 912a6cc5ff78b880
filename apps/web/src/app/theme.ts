/** public/theme.js applies the theme before the first paint; for `system` there is no `data-theme`. */
import { useSyncExternalStore } from "react";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "theme";

export function themeOf(stored: string | null | undefined): Theme {
  return stored === "dark" || stored === "system" ? stored : "light";
}

function readTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(storageKey));
  } catch {
    return themeOf(document.documentElement.dataset.theme);
  }
}

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage may be forbidden; the theme then lasts until the page is left.
  }
  window.dispatchEvent(new CustomEvent("theme", { detail: theme }));
}

export function oppositeTheme(theme: Theme, systemIsDark: boolean): "light" | "dark" {
  const dark = theme === "dark" || (theme === "system" && systemIsDark);
  return dark ? "light" : "dark";
}

export function toggleTheme(): void {
  setTheme(oppositeTheme(readTheme(), matchMedia("(prefers-color-scheme: dark)").matches));
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("theme", onChange);
  window.addEventListener("storage", onChange);
  return () => {
    window.removeEventListener("theme", onChange);
    window.removeEventListener("storage", onChange);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme, () => "light");
}
