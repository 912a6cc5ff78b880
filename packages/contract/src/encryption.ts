/**
 * An encryption key: a public key, and its private key as an armored age file under a master password. The web client
 * makes both and sends neither the password nor another form of the private key.
 */
import * as z from "zod";
import { limits } from "./limits.ts";

export const encryptionMessages = {
  keyNameRequired: "Key name required",
  keyNameLong: `Key name must be ${limits.keyNameMax} characters or less`,
  masterPasswordRequired: "Master password required",
  passwordRequired: "Password required",
  publicKeyInvalid: "This is not an AGE public key",
  wrappedKeyInvalid: "The private key must be an armored AGE file, protected by a password alone",
  oneForm: "Send either masterPassword, or publicKey and encryptedPrivateKey, not both",
  encryptedTextRequired: "Encrypted text is required",
  keyRequired: "Please select a decryption key",
  decryptPasswordRequired: "Master password is required",
  privateKeyRequired: "Private key is required",
  textLong: "The text is too long: 1 MB is the most",
  tooManyKeys: `An account can have ${limits.encryptionKeysMax} encryption keys at most. Delete one first.`,
  needsRecreation:
    "This key was made with an older method. Delete it and create a new one in Settings to decrypt with it.",
} as const;

const secret = (required: string) => z.string(required).max(limits.masterPasswordMax, required).min(1, required);
const notBlank = (required: string) => secret(required).refine((text) => text.trim() !== "", required);

export const keyNameField = z
  .string(encryptionMessages.keyNameRequired)
  .trim()
  .min(1, encryptionMessages.keyNameRequired)
  .refine((text) => [...text].length <= limits.keyNameMax, encryptionMessages.keyNameLong);

export const createEncryptionKeyBody = z
  .object({
    keyName: keyNameField,
    masterPassword: notBlank(encryptionMessages.masterPasswordRequired).optional(),
    publicKey: z
      .string(encryptionMessages.publicKeyInvalid)
      .trim()
      .max(limits.publicKeyMax, encryptionMessages.publicKeyInvalid)
      .optional(),
    encryptedPrivateKey: z
      .string(encryptionMessages.wrappedKeyInvalid)
      .max(limits.wrappedKeyMax, encryptionMessages.wrappedKeyInvalid)
      .optional(),
    isDefault: z.boolean("isDefault must be true or false").optional(),
  })
  .superRefine(({ masterPassword, publicKey, encryptedPrivateKey }, context) => {
    const say = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const isWrapped = publicKey !== undefined || encryptedPrivateKey !== undefined;
    if (masterPassword !== undefined && isWrapped) return say("masterPassword", encryptionMessages.oneForm);
    if (masterPassword === undefined && !isWrapped)
      return say("masterPassword", encryptionMessages.masterPasswordRequired);
    if (!isWrapped) return;
    if (publicKey === undefined) say("publicKey", encryptionMessages.publicKeyInvalid);
    if (encryptedPrivateKey === undefined) say("encryptedPrivateKey", encryptionMessages.wrappedKeyInvalid);
  });
export type CreateEncryptionKeyBody = z.infer<typeof createEncryptionKeyBody>;

export const encryptionKeyWire = z.object({
  id: z.uuid(),
  keyName: z.string(),
  /** A public key is `age1…`, or `age1pq1…` for a post-quantum one. */
  publicKey: z.string(),
  createdAt: z.iso.datetime(),
  /** Every account with keys has exactly one default key. */
  isDefault: z.boolean(),
});
export type EncryptionKeyWire = z.infer<typeof encryptionKeyWire>;

export const protectedKeyResponse = z.object({
  /** Private key as armor with one scrypt stanza, which the stock age program opens. */
  encryptedPrivateKey: z.string(),
});

export const downloadKeyBody = z.object({ masterPassword: notBlank(encryptionMessages.passwordRequired) });

/** An encryption key with its private key; also the content of the file that the web client saves. */
export const downloadedKey = encryptionKeyWire
  .omit({ id: true })
  .extend({ /** Private key in clear text, e.g. `AGE-SECRET-KEY-1…`. */ privateKey: z.string() });
export type DownloadedKey = z.infer<typeof downloadedKey>;

const encryptedTextField = z
  .string(encryptionMessages.encryptedTextRequired)
  .refine((text) => text.trim() !== "", encryptionMessages.encryptedTextRequired)
  .max(limits.encryptedTextMax, encryptionMessages.textLong);

export const decryptAutoBody = z.object({
  encryptedText: encryptedTextField,
  keyId: z.guid(encryptionMessages.keyRequired).toLowerCase(),
  masterPassword: notBlank(encryptionMessages.decryptPasswordRequired),
});

export const decryptManualBody = z.object({
  encryptedText: encryptedTextField,
  privateKey: z
    .string(encryptionMessages.privateKeyRequired)
    .refine((text) => text.trim() !== "", encryptionMessages.privateKeyRequired)
    .max(limits.identityFileMax, encryptionMessages.privateKeyRequired),
});

const decrypted = z.object({ success: z.literal(true), decryptedText: z.string() });
export const decryptManualResponse = decrypted;
export const decryptAutoResponse = z.union([
  decrypted,
  z.object({ success: z.literal(false), needsRecreation: z.literal(true), message: z.string() }),
]);
export type DecryptAutoResponse = z.infer<typeof decryptAutoResponse>;
