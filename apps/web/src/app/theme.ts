/**
 * The theme setting: `light`, `dark` or `system` under the key `theme`; light when unset. public/theme.js does the same before
 * the first paint. System is no `data-theme` at all: the colours then follow the OS.
 */
export type Theme = "light" | "dark" | "system";

function readTheme(): Theme {
  const stored = localStorage.getItem("theme");
  return stored === "dark" || stored === "system" ? stored : "light";
}

function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function setTheme(theme: Theme): void {
  localStorage.setItem("theme", theme);
  applyTheme(theme);
}

/** The toggle knows two ends: from what is seen now to the other. */
export function oppositeTheme(theme: Theme, systemIsDark: boolean): "light" | "dark" {
  const dark = theme === "dark" || (theme === "system" && systemIsDark);
  return dark ? "light" : "dark";
}

export function toggleTheme(): void {
  setTheme(oppositeTheme(readTheme(), matchMedia("(prefers-color-scheme: dark)").matches));
}
