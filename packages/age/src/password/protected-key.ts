/**
 * A private key under a master password: an ordinary key file, encrypted as by `age -p`, in armor. The stock program
 * accepts it unchanged: `age -d -i protected.age message.age` asks for the password. Encrypting and decrypting a key
 * take one scrypt of 256 MiB each: half a second in Node's native code, about a second in a browser, a minute in a
 * browser without JIT. Call these functions in a worker.
 */
import { AgeError } from "../age-error.ts";
import { decryptText } from "../decrypt.ts";
import { encryptText } from "../encrypt.ts";
import { dearmor } from "../format/armor.ts";
import { checkHeader } from "../format/header.ts";
import { PROTECTED_KEY_MAX_BYTES, PROTECTED_KEY_WORK_FACTOR_MIN } from "../limits.ts";
import { generateKeyPair, type KeyPair, publicKeyOf, readPrivateKeys } from "../private-key.ts";
import type { KeyKind } from "../public-key.ts";
import type { PasswordCipher } from "./password-cipher.ts";

export interface PrivateKeyToProtect {
  privateKey: string;
  /** Master password in any Unicode form; normalised to NFC. */
  password: string;
  /** Name of the key, written as a comment into the key file and truncated to 100 characters. */
  keyName?: string;
  createdAt?: Date;
  passwordCipher?: PasswordCipher;
}

export interface ProtectedKeyPair {
  publicKey: string;
  protectedKey: string;
}

/**
 * Encrypts a private key with a password.
 * @returns armor of at most 4 KiB
 * @throws AgeError `bad_private_key`, `bad_password`, `out_of_memory`, `insecure_context`
 */
export async function protectPrivateKey(key: PrivateKeyToProtect): Promise<string> {
  const publicKey = await publicKeyOf(key.privateKey);
  const [privateKey] = readPrivateKeys(key.privateKey);
  const { password, passwordCipher } = key;
  return encryptText(keyFileText({ ...key, publicKey, privateKey: privateKey ?? "" }), { password, passwordCipher });
}

/**
 * Decrypts a protected private key.
 * @param protectedKey made by `protectPrivateKey`, or by `age -p` from a key file with one key
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
 * Makes a new protected key pair and opens it again as a check: two scrypts.
 * @throws AgeError `bad_password`, `out_of_memory`, `insecure_context`; `malformed` or `wrong_password` if the new key
 * can't be decrypted again
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

/**
 * Whether a stored value has our form (armor, at most 4 KiB, one password stanza of work factor 17 or 18). Cheap;
 * decrypts nothing.
 */
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

/** A key file as `age-keygen` writes it, with our key name as a further comment. */
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
