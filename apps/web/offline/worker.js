// The service worker: shows a page of its own where a page can't be loaded for want of a connection. It stores nothing,
// so no page is ever old, and it takes part in no request but the loading of pages. scripts/draw-pages.mjs puts the
// page, in each language, and its policy into this file.

const pages = "%PAGES%";
const policy = "%POLICY%";

/** Downloads, sign-ins at Google and frames of the preview inbox: the browser's own business. */
const outside = ["/api", "/v1", "/healthz", "/preview/api"];
const isOutside = (path) => outside.some((start) => path === start || path.startsWith(`${start}/`));

addEventListener("install", (event) => {
  skipWaiting();
  // Chromium sends these requests past the worker, without starting it.
  const modes = ["cors", "no-cors", "same-origin"].map((requestMode) => ({ requestMode }));
  const paths = outside.map((start) => ({ urlPattern: { pathname: `${start}{/*}?` } }));
  const rules = [...modes, ...paths].map((condition) => ({ condition, source: "network" }));
  if (event.addRoutes !== undefined) event.waitUntil(event.addRoutes(rules));
});

addEventListener("activate", (event) => {
  // A page is then requested while the worker starts. Without the rules above, requests of the API would be sent twice.
  const isRouted = globalThis.InstallEvent?.prototype.addRoutes !== undefined;
  if (isRouted) event.waitUntil(registration.navigationPreload.enable());
});

addEventListener("fetch", (event) => {
  const { mode, method, url } = event.request;
  if (mode === "navigate" && method === "GET" && !isOutside(new URL(url).pathname)) event.respondWith(load(event));
});

async function load({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return offlinePage();
  }
}

/** In the language of the page that registered this worker, by `/sw.js?language=…`. */
function offlinePage() {
  const language = new URL(location.href).searchParams.get("language");
  const headers = {
    "cache-control": "no-store",
    "content-security-policy": policy,
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  return new Response(Object.hasOwn(pages, language) ? pages[language] : pages.en, { status: 503, headers });
}
