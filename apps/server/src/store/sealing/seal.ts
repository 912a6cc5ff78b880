/**
 * Seals one value: AES-256-GCM with a random nonce, bound to the place where the value is stored (`context`,
 * authenticated but not stored). Pure: keys come from `server-keys.ts`.
 * Layout: key id (4 bytes, big endian) ‖ nonce (12) ‖ ciphertext ‖ tag (16).
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const SEAL_OVERHEAD_BYTES = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** A sealed value was truncated, changed or moved, or its key is missing. The message says no more on purpose. */
export class SealError extends Error {
  override name = "SealError";
  constructor() {
    super("A sealed value could not be opened.");
  }
}

export interface SealKey {
  id: number;
  bytes: Buffer;
}

/** @param context place where the value is stored, e.g. `alias:sealed:6b1f…`; opening needs the same text */
export function sealBytes(key: SealKey, context: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const start = Buffer.alloc(KEY_ID_BYTES + NONCE_BYTES);
  start.writeUInt32BE(key.id, 0);
  nonce.copy(start, KEY_ID_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
  cipher.setAAD(Buffer.from(context, "utf8"));
  const ciphertext = cipher.update(plain);
  cipher.final();
  return Buffer.concat([start, ciphertext, cipher.getAuthTag()], plain.length + SEAL_OVERHEAD_BYTES);
}

/** Opens a sealed value. @throws SealError unless it was sealed in this context with the key whose id it starts with */
export function openBytes(keyById: (id: number) => Buffer | undefined, context: string, sealed: Uint8Array): Buffer {
  if (sealed.length < SEAL_OVERHEAD_BYTES) throw new SealError();
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const key = keyById(bytes.readUInt32BE(0));
  if (key === undefined) throw new SealError();
  const nonce = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, "utf8"));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = decipher.update(bytes.subarray(KEY_ID_BYTES + NONCE_BYTES, bytes.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw new SealError();
  }
  return plain;
}
