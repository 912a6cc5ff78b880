/**
 * The password stanza of an age file (`age -p`): scrypt and ChaCha20-Poly1305. A port, since native code takes a third
 * of the library's time (node-password-cipher.ts). The files are identical bit for bit.
 */
import { Encrypter, type Identity, type Recipient, Stanza } from "age-encryption";
import { AgeError, failAs, passwordFailure } from "../age-error.ts";
import { AGE_WORK_FACTOR, PASSWORD_MAX_LENGTH } from "../limits.ts";

export interface PasswordStretch {
  password: Uint8Array;
  /** The label `age-encryption.org/v1/scrypt` and 16 random bytes. */
  salt: Uint8Array;
  /** log2 of N; r is 8, p is 1, the derived key has 32 bytes. */
  workFactor: number;
}

export interface PasswordCipher {
  /** Encrypts the 16 bytes of the file key to 32, with a nonce of 12 zero bytes and no additional data. */
  encrypt(stretch: PasswordStretch, fileKey: Uint8Array): Uint8Array | Promise<Uint8Array>;
  decrypt(stretch: PasswordStretch, encrypted: Uint8Array): Uint8Array | null | Promise<Uint8Array | null>;
}

const utf8 = new TextEncoder();
const label = utf8.encode("age-encryption.org/v1/scrypt");

/** Password in NFC, which terminals send too, so that the stock program accepts it. @throws AgeError `bad_password` */
export function normalisePassword(password: string): string {
  const normalised = password.normalize("NFC");
  if (normalised === "" || normalised.length > PASSWORD_MAX_LENGTH) throw new AgeError("bad_password");
  return normalised;
}

/** @param password result of `normalisePassword` */
export function passwordRecipient(password: string, cipher: PasswordCipher): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const random = globalThis.crypto.getRandomValues(new Uint8Array(16));
      const stretch = { password: utf8.encode(password), salt: saltOf(random), workFactor: AGE_WORK_FACTOR };
      const encrypted = await cipher.encrypt(stretch, fileKey);
      return [new Stanza(["scrypt", toBase64(random), String(AGE_WORK_FACTOR)], encrypted)];
    },
  };
}

/** Tries a password. The header must have been checked: a single stanza, with a work factor within the limit. */
export function passwordIdentity(password: string, cipher: PasswordCipher): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas;
      if (stanza === undefined || stanza.args[0] !== "scrypt") return null;
      const [, salt, factor, ...more] = stanza.args;
      const isWellFormed = salt !== undefined && factor !== undefined && more.length === 0 && stanza.body.length === 32;
      if (!isWellFormed || !/^1?[0-9]$/.test(factor) || factor.startsWith("0")) throw new AgeError("malformed");
      const stretch = { password: utf8.encode(password), salt: saltOf(saltFrom(salt)), workFactor: Number(factor) };
      return cipher.decrypt(stretch, stanza.body);
    },
  };
}

function saltOf(random: Uint8Array): Uint8Array {
  const salt = new Uint8Array(label.length + random.length);
  salt.set(label);
  salt.set(random, label.length);
  return salt;
}

/** A salt in base64 has 22 characters, and its last four bits must be zero. */
function saltFrom(base64: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]{21}[AQgw]$/.test(base64)) throw new AgeError("malformed");
  return Uint8Array.from(atob(`${base64}==`), (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
}

const TRIAL_WORK_FACTOR = 12;
/** Milliseconds below which a second trial is made, because the engine compiles during the first. */
const QUICK_MS = 100;

/** Estimated seconds to derive a key on this device. @throws AgeError `out_of_memory` */
export async function forecastPasswordWork(): Promise<number> {
  const first = await trialMs();
  const trial = first > QUICK_MS ? first : Math.min(first, await trialMs());
  return (trial * 2 ** (AGE_WORK_FACTOR - TRIAL_WORK_FACTOR)) / 1000;
}

async function trialMs(): Promise<number> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(TRIAL_WORK_FACTOR);
  encrypter.setPassphrase("forecast");
  const startMs = performance.now();
  await failAs(passwordFailure, () => encrypter.encrypt(new Uint8Array(0)));
  return performance.now() - startMs;
}
