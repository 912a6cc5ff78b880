/**
 * Browsers provide Web Crypto in secure contexts only (https, localhost); without it the library fails with misleading
 * errors.
 */
import { AgeError } from "./age-error.ts";

/** Checks that Web Crypto is available. @throws AgeError `insecure_context` if not */
export function requireWebCrypto(): void {
  const here: { subtle?: unknown } | undefined = globalThis.crypto;
  if (here?.subtle === undefined) throw new AgeError("insecure_context");
}
