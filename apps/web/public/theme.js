// Puts the stored theme on <html> before the first paint. Light unless set; "system" leaves it to the OS preference.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    // Storage can be forbidden; the page then starts light.
  }
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme === "dark" ? "dark" : "light";
})();
