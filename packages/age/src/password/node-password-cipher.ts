/**
 * The password cipher in Node's native code. It blocks its thread for half a second and takes 256 MiB, on purpose: call
 * it in a worker. Asynchronous `scrypt` would occupy a thread that file reads need (8 calls delayed reads by 3 s).
 */
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { AgeError } from "../age-error.ts";
import type { PasswordCipher, PasswordStretch } from "./password-cipher.ts";

const ALGORITHM = "chacha20-poly1305";
const TAG_BYTES = 16;
const zeroNonce = new Uint8Array(12);
const tagLength = { authTagLength: TAG_BYTES };

export const nodePasswordCipher: PasswordCipher = {
  encrypt(stretch, fileKey) {
    const key = stretchedKey(stretch);
    const cipher = createCipheriv(ALGORITHM, key, zeroNonce, tagLength);
    const encrypted = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
    key.fill(0);
    return new Uint8Array(encrypted);
  },

  decrypt(stretch, encrypted) {
    const key = stretchedKey(stretch);
    const decipher = createDecipheriv(ALGORITHM, key, zeroNonce, tagLength);
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    try {
      return new Uint8Array(Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_BYTES)), decipher.final()]));
    } catch {
      return null;
    } finally {
      key.fill(0);
    }
  },
};

function stretchedKey({ password, salt, workFactor }: PasswordStretch): Buffer {
  const N = 2 ** workFactor;
  try {
    return scryptSync(password, salt, 32, { N, r: 8, p: 1, maxmem: 128 * N * 8 + 1024 * 1024 });
  } catch {
    throw new AgeError("out_of_memory");
  }
}
