// Applies the theme to the page: before the first paint, when app/theme.ts dispatches a `theme` event, and when another
// tab stores another theme. Light if none is stored; "system" follows the preference of the operating system.
(() => {
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      // The browser may forbid local storage; the page then starts light.
      return null;
    }
  };
  // Elements theme-color depend on the system's scheme by a media query; a theme that the user chose overrides it.
  const colorBar = (theme) => {
    for (const meta of document.querySelectorAll('meta[name="theme-color"][media]')) {
      meta.dataset.media ??= meta.media;
      const scheme = meta.dataset.media.includes("dark") ? "dark" : "light";
      meta.media = theme === "system" ? meta.dataset.media : theme === scheme ? "all" : "not all";
    }
  };
  const apply = (setting) => {
    const theme = setting === "system" || setting === "dark" ? setting : "light";
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    colorBar(theme);
  };
  apply(stored());
  addEventListener("storage", ({ key }) => (key === "theme" || key === null) && apply(stored()));
  addEventListener("theme", ({ detail }) => apply(detail));
  // Again for the theme-color elements that follow this script in the document.
  document.addEventListener("DOMContentLoaded", () => colorBar(document.documentElement.dataset.theme ?? "system"));
})();
