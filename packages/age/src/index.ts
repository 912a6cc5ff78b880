/**
 * Encryption with age, for the server's worker process and the browser's Web Worker; the only importer of the age
 * library. Inputs that the library does not refuse are refused here before any work, and the library's messages never
 * leave this package. See age-error.ts and limits.ts.
 */

export { AgeError, type AgeErrorCode, ageErrorCodes } from "./age-error.ts";
export { type DecryptWith, decrypt, decryptText } from "./decrypt.ts";
export { decryptStream } from "./decrypt-stream.ts";
export { type EncryptTo, encrypt, encryptStream, encryptText } from "./encrypt.ts";
export { armor, dearmor } from "./format/armor.ts";
export { cleanPastedPublicKey, type PastedBlock, pastedBlocks } from "./format/clean-pasted-text.ts";
export { isAgeFile } from "./format/is-age-file.ts";
export * from "./limits.ts";
export type { PasswordCipher, PasswordStretch } from "./password/password-cipher.ts";
export { forecastPasswordWork } from "./password/password-forecast.ts";
export {
  createProtectedKey,
  isProtectedKey,
  keyFileText,
  openProtectedKey,
  type PrivateKeyToProtect,
  type ProtectedKeyPair,
  protectPrivateKey,
} from "./password/protected-key.ts";
export { type StoredKeyForm, storedKeyForm } from "./password/stored-key-form.ts";
export { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "./private-key.ts";
export { checkPublicKey, isPublicKey, type KeyKind, publicKeyKind, readRecipients } from "./public-key.ts";
