/**
 * A private key under a master password: a key file encrypted as by `age -p`, in armor, for `age -d`. One scrypt of 256
 * MiB each way: half a second in Node, a second in a browser, a minute without JIT. Call it in a worker.
 */
import { AgeError } from "../age-error.ts";
import { decrypt, decryptText } from "../decrypt.ts";
import { encryptText } from "../encrypt.ts";
import { dearmor } from "../format/armor.ts";
import { checkHeader } from "../format/header.ts";
import { PROTECTED_KEY_MAX_BYTES, PROTECTED_KEY_WORK_FACTOR_MIN } from "../limits.ts";
import { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "../private-key.ts";
import type { KeyKind } from "../public-key.ts";
import type { PasswordCipher } from "./password-cipher.ts";

export interface PrivateKeyToProtect {
  privateKey: string;
  password: string;
  /** Name of the key, written as a comment into the key file, cut at 100 characters. */
  keyName?: string;
  createdAt?: Date;
  passwordCipher?: PasswordCipher;
}

export interface ProtectedKeyPair {
  publicKey: string;
  protectedKey: string;
}

/** @throws AgeError `bad_private_key`, `bad_password`, `out_of_memory`, `insecure_context` */
export async function protectPrivateKey(key: PrivateKeyToProtect): Promise<string> {
  const publicKey = await publicKeyOf(key.privateKey);
  const [privateKey] = readPrivateKeys(key.privateKey);
  const { password, passwordCipher } = key;
  return encryptText(keyFileText({ ...key, publicKey, privateKey: privateKey ?? "" }), { password, passwordCipher });
}

/**
 * Opens a protected key, also a key file with one key that `age -p` encrypted.
 * @throws AgeError `not_protected_key` before any computation, `wrong_password`, `malformed`, `bad_password`,
 * `bad_private_key`, `out_of_memory`, `insecure_context`
 */
export async function openProtectedKey(
  protectedKey: string,
  unlock: { password: string; passwordCipher?: PasswordCipher },
): Promise<KeyPair> {
  if (!isProtectedKey(protectedKey)) throw new AgeError("not_protected_key");
  const keyFile = await decryptText(protectedKey, unlock);
  const publicKey = await publicKeyOf(keyFile);
  const [privateKey] = readPrivateKeys(keyFile);
  return { publicKey, privateKey: privateKey ?? "" };
}

/**
 * Creates a key and opens it again as a check: two scrypts.
 * @throws AgeError `bad_password`, `out_of_memory`, `insecure_context`; `malformed` or `wrong_password` if it can't be
 * decrypted again
 */
export async function createProtectedKey(options: {
  password: string;
  keyName?: string;
  createdAt?: Date;
  kind?: KeyKind;
  passwordCipher?: PasswordCipher;
}): Promise<ProtectedKeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(options.kind);
  const protectedKey = await protectPrivateKey({ ...options, privateKey });
  const opened = await openProtectedKey(protectedKey, options);
  if (opened.publicKey !== publicKey) throw new AgeError("malformed");
  return { publicKey, protectedKey };
}

/** Whether the text is armor of at most 4 KiB with one password stanza of work factor 17 or 18. Decrypts nothing. */
export function isProtectedKey(text: string): boolean {
  if (text.length > PROTECTED_KEY_MAX_BYTES) return false;
  try {
    const { stanzaTypes, workFactor } = checkHeader(dearmor(text, PROTECTED_KEY_MAX_BYTES));
    return stanzaTypes[0] === "scrypt" && workFactor !== null && workFactor >= PROTECTED_KEY_WORK_FACTOR_MIN;
  } catch (thrown) {
    if (thrown instanceof AgeError) return false;
    throw thrown;
  }
}

export function keyFileText(key: KeyPair & { keyName?: string; createdAt?: Date }): string {
  const name = Array.from(key.keyName ?? "")
    .slice(0, 100)
    .join("")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
    .trim();
  const lines = [
    name === "" ? null : `# name: ${name}`,
    key.createdAt === undefined ? null : `# created: ${key.createdAt.toISOString()}`,
    `# public key: ${key.publicKey}`,
    key.privateKey,
  ];
  return `${lines.filter((line) => line !== null).join("\n")}\n`;
}

/** `unprotected`: a bare private key, or an age file for other keys. `older`: anything else. */
export type StoredKeyForm = "protected" | "unprotected" | "older";

/** Classifies a stored key; never computes a scrypt, whatever the text is. */
export async function storedKeyForm(text: string): Promise<StoredKeyForm> {
  if (isProtectedKey(text)) return "protected";
  return isBareKey(text) || (await isForOtherKeys(text)) ? "unprotected" : "older";
}

function isBareKey(text: string): boolean {
  try {
    return readPrivateKeys(text).length > 0;
  } catch (thrown) {
    if (thrown instanceof AgeError) return false;
    throw thrown;
  }
}

/** With this cipher every password is wrong, without computing anything. */
const noCipher: PasswordCipher = { encrypt: (_, fileKey) => fileKey, decrypt: () => null };

/** Whether a file is for other keys: without a password stanza, `no_matching_key` precedes any computation. */
async function isForOtherKeys(file: string): Promise<boolean> {
  return decrypt(file, { password: "-", passwordCipher: noCipher }).then(
    () => false,
    (thrown) => thrown instanceof AgeError && thrown.code === "no_matching_key",
  );
}
