/** Trusted Types: one policy accepts only scripts of this build. Other browsers get the plain string, checked too. */
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./vault.worker.ts?worker&url";

interface ScriptPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

/** Checks a script's URL. @throws TypeError for another origin or folder */
export function ownScriptUrl(url: string, origin: string): string {
  const { href, origin: itsOrigin, pathname } = new URL(url, origin);
  const isBuilt = pathname.startsWith("/assets/") || pathname === "/sw.js";
  const isOurs = itsOrigin === origin && (isBuilt || import.meta.env.DEV);
  if (!isOurs) throw new TypeError("not a script of this app");
  return href;
}

/** Whether a worker's script could not be loaded: errors of a running script have a line. */
export const isNotLoaded = (event: Event): boolean => !(event as ErrorEvent).lineno;

let policy: ScriptPolicy | null = null;

export const vaultWorkerUrl = (): string => trustedWorkerUrl(workerUrl);

/** The only policy: a page may create it once. @throws TypeError as `ownScriptUrl` */
export function trustedWorkerUrl(workerUrl: string): string {
  const rules: ScriptPolicy = { createScriptURL: (url) => ownScriptUrl(url, location.origin) };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("app-worker", rules) ?? rules;
  return policy.createScriptURL(workerUrl);
}
