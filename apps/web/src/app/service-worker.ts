/** The service worker (apps/web/offline): for signed-in people, after everything that the page itself needs. */
import { language } from "../texts/texts.ts";
import { trustedWorkerUrl } from "../vault/worker-url.ts";

const AFTER_MS = 2000;

/** Registers the worker, or updates it. Does nothing where there is none: over plain http, in development. */
export function registerWorker(): void {
  if (import.meta.env.DEV || import.meta.env.VITE_WORKER === "off" || !("serviceWorker" in navigator)) return;
  const script = `/sw.js?language=${language()}`;
  const register = () => navigator.serviceWorker.register(trustedWorkerUrl(script), { updateViaCache: "none" });
  // Browsers refuse it under a certificate that they don't trust, and in some private windows.
  setTimeout(() => void register().catch(() => {}), AFTER_MS);
}
