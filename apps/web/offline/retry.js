// Loads the page again when the device is online, or the server responds.
(() => {
  const EVERY_MS = 10_000;
  const again = () => location.reload();
  const ask = async () => {
    if (document.hidden || !navigator.onLine) return;
    const response = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
    if (response?.ok) again();
  };
  addEventListener("online", again);
  document.addEventListener("visibilitychange", () => void ask());
  setInterval(() => void ask(), EVERY_MS);
  document.querySelector("button").addEventListener("click", again);
})();
