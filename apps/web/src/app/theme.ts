/**
 * The theme setting: `light`, `dark` or `system` under the key `theme`; light when unset. public/theme.js puts it on the page,
 * before the first paint and at every change; system is no `data-theme` at all: the colours then follow the OS.
 */
import { useSyncExternalStore } from "react";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "theme";

/** @param stored as the local storage has it */
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
    // Storage can be forbidden: it then holds for this page.
  }
  window.dispatchEvent(new CustomEvent("theme", { detail: theme }));
}

/** The toggle knows two ends: from what is seen now to the other. */
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

/** The setting, as this or another tab last changed it. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme, () => "light");
}
