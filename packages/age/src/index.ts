/**
 * Encryption with age, for the server's worker thread and the browser's Web Worker alike; the only importer of the age library.
 * What the library doesn't refuse is refused here, before any work; what it says never gets out. See age-error.ts and limits.ts.
 */

export * from "./age-error.ts";
export * from "./armor.ts";
export * from "./clean-pasted-text.ts";
export * from "./decrypt.ts";
export * from "./decrypt-stream.ts";
export * from "./encrypt.ts";
export * from "./is-age-file.ts";
export * from "./limits.ts";
export type { PasswordCipher, PasswordStretch } from "./password-cipher.ts";
export * from "./private-key.ts";
export * from "./protected-key.ts";
export * from "./public-key.ts";
