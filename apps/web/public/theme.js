// The one place that puts the theme on the page: before the first paint, when it is changed here (app/theme.ts says so), and
// when it is changed in another tab. Light unless set; "system" leaves it to the OS preference.
(() => {
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      // Storage can be forbidden; the page then starts light.
      return null;
    }
  };
  // A theme-color with a media query is about the OS; a theme of the person's own overrules it.
  const colorBar = (theme) => {
    for (const meta of document.querySelectorAll('meta[name="theme-color"][media]')) {
      meta.dataset.media ??= meta.media;
      const isFor = meta.dataset.media.includes("dark") ? "dark" : "light";
      meta.media = theme === "system" ? meta.dataset.media : theme === isFor ? "all" : "not all";
    }
  };
  const apply = (wish) => {
    const theme = wish === "system" || wish === "dark" ? wish : "light";
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    colorBar(theme);
  };
  apply(stored());
  addEventListener("storage", ({ key }) => (key === "theme" || key === null) && apply(stored()));
  addEventListener("theme", ({ detail }) => apply(detail));
  // For those that come later in the document than this script.
  document.addEventListener("DOMContentLoaded", () => colorBar(document.documentElement.dataset.theme ?? "system"));
})();
