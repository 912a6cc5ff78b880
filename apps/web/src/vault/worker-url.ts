/**
 * The worker script's URL as Trusted Types require it: from one policy that accepts only scripts of this build.
 * Browsers without Trusted Types get the plain string, after the same check.
 */
// oxlint-disable-next-line import/default -- Vite exports the URL of the built script here
import workerUrl from "./vault.worker.ts?worker&url";

interface ScriptPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

/** Accepts the URL of a script of this build. @throws TypeError for a URL of another origin or folder */
export function ownScriptUrl(url: string, origin: string): string {
  const { href, origin: itsOrigin, pathname } = new URL(url, origin);
  const isOurs = itsOrigin === origin && (pathname.startsWith("/assets/") || import.meta.env.DEV);
  if (!isOurs) throw new TypeError("not a script of this app");
  return href;
}

/**
 * Whether a worker's `error` event means that its script could not be loaded. An error of a running script has a line.
 */
export const isNotLoaded = (event: Event): boolean => !(event as ErrorEvent).lineno;

let policy: ScriptPolicy | null = null;

export const vaultWorkerUrl = (): string => trustedWorkerUrl(workerUrl);

/**
 * Used for every worker of the app, because a page may create the policy only once.
 * @throws TypeError as `ownScriptUrl`
 */
export function trustedWorkerUrl(workerUrl: string): string {
  const rules: ScriptPolicy = { createScriptURL: (url) => ownScriptUrl(url, location.origin) };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("app-worker", rules) ?? rules;
  return policy.createScriptURL(workerUrl);
}
