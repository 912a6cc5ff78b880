/**
 * The theme setting: `light`, `dark` or `system` under the storage key `theme`; light when unset. public/theme.js
 * applies it before the first paint and at every change; for `system` it sets no `data-theme`, so that the colours
 * follow the operating system.
 */
import { useSyncExternalStore } from "react";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "theme";

/** @param stored theme setting in the local storage; any value but `dark` and `system` means light */
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
    // The local storage can be forbidden; the theme then lasts until the page is left.
  }
  window.dispatchEvent(new CustomEvent("theme", { detail: theme }));
}

/** The theme that the toggle switches to: the opposite of the one shown. */
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

/** The theme setting, as this or another tab last changed it. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme, () => "light");
}
