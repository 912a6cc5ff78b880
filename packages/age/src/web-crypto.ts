import { AgeError } from "./age-error.ts";

/** @throws AgeError `insecure_context` */
export function requireWebCrypto(): void {
  const here: { subtle?: unknown } | undefined = globalThis.crypto;
  if (here?.subtle === undefined) throw new AgeError("insecure_context");
}
