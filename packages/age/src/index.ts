/**
 * Encryption with age, for the server's worker thread and the browser's Web Worker alike; the only importer of the age library.
 * What the library doesn't refuse is refused here, before any work; what it says never gets out. See age-error.ts and limits.ts.
 */

export { AgeError, type AgeErrorCode, ageErrorCodes } from "./age-error.ts";
export { armor, dearmor } from "./armor.ts";
export { cleanPastedPublicKey, cleanPastedText } from "./clean-pasted-text.ts";
export { type DecryptWith, decrypt, decryptText } from "./decrypt.ts";
export { decryptStream } from "./decrypt-stream.ts";
export { type EncryptTo, encrypt, encryptStream, encryptText } from "./encrypt.ts";
export { isAgeFile } from "./is-age-file.ts";
export * from "./limits.ts";
export type { PasswordCipher, PasswordStretch } from "./password-cipher.ts";
export { forecastPasswordWork } from "./password-forecast.ts";
export { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "./private-key.ts";
export {
  createProtectedKey,
  isProtectedKey,
  keyFileText,
  openProtectedKey,
  type PrivateKeyToProtect,
  type ProtectedKeyPair,
  protectPrivateKey,
} from "./protected-key.ts";
export { checkPublicKey, isPublicKey, type KeyKind, publicKeyKind, readRecipients } from "./public-key.ts";
export { type StoredKeyForm, storedKeyForm } from "./stored-key-form.ts";
