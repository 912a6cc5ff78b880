/** The only importer of the age library, whose messages never leave this package. */

export { AgeError, type AgeErrorCode, ageErrorCodes } from "./age-error.ts";
export { type DecryptWith, decrypt, decryptText } from "./decrypt.ts";
export { decryptStream } from "./decrypt-stream.ts";
export { type EncryptTo, encrypt, encryptStream, encryptText } from "./encrypt.ts";
export { armor, dearmor, isAgeFile } from "./format/armor.ts";
export { cleanPastedPublicKey, type PastedBlock, pastedBlocks } from "./format/clean-pasted-text.ts";
export * from "./limits.ts";
export type { PasswordCipher, PasswordStretch } from "./password/password-cipher.ts";
export { forecastPasswordWork } from "./password/password-cipher.ts";
export {
  createProtectedKey,
  isProtectedKey,
  keyFileText,
  openProtectedKey,
  type PrivateKeyToProtect,
  type ProtectedKeyPair,
  protectPrivateKey,
  type StoredKeyForm,
  storedKeyForm,
} from "./password/protected-key.ts";
export { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "./private-key.ts";
export { checkPublicKey, isPublicKey, type KeyKind, publicKeyKind, readRecipients } from "./public-key.ts";
