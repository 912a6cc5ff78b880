/**
 * Encrypts whole messages with Node's native code, yielding to the event loop; not for browsers. The library makes the
 * header; payload (STREAM: ChaCha20-Poly1305, 64 KiB) and armor are made here. Any age program opens the result.
 */
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { failAs } from "./age-error.ts";
import { ARMOR_BEGIN, ARMOR_END, armoredLength } from "./format/armor.ts";
import { checkHeader } from "./format/header.ts";

const CHUNK_BYTES = 64 * 1024;
/** Chunks encrypted per turn of the event loop; eight take 1 to 2 ms. */
const CHUNKS_PER_TURN = 8;
const TAG_BYTES = 16;
const NONCE_BYTES = 16;
/** Maximum bytes of a header; one with a post-quantum stanza has 1,600. */
const HEADER_MAX_BYTES = 2048;
const LINE_BYTES = 48;
const LINE_CHARS = 64;
const CR = 0x0d;
const LF = 0x0a;

/** Encrypts to strict armor with CRLF line ends, for a public key of any kind. @throws AgeError `bad_public_key` */
export async function encryptArmored(plaintext: Uint8Array, publicKey: string): Promise<Buffer> {
  const { header, fileKey } = await failAs("bad_public_key", () => wrapNewFileKey(publicKey));
  const nonce = randomBytes(NONCE_BYTES);
  const streamKey = new Uint8Array(hkdfSync("sha256", fileKey, nonce, "payload", 32));
  fileKey.fill(0);
  const chunks = Math.max(1, Math.ceil(plaintext.length / CHUNK_BYTES));
  const armor = new ArmorWriter(header.length + NONCE_BYTES + plaintext.length + chunks * TAG_BYTES);
  armor.write(Buffer.concat([header, nonce]));
  for (let index = 0; index < chunks; index++) {
    const chunk = plaintext.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
    armor.write(encryptChunk(chunk, streamKey, nonceOf(index, index === chunks - 1)));
    if (index % CHUNKS_PER_TURN === CHUNKS_PER_TURN - 1) await nextTurn();
  }
  streamKey.fill(0);
  return armor.end();
}

export function encryptedLength(sizeBytes: number): number {
  const chunks = Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
  return armoredLength(HEADER_MAX_BYTES + NONCE_BYTES + sizeBytes + chunks * TAG_BYTES);
}

/** Header of an empty file with a new file key. A second recipient captures the file key and adds no stanza. */
async function wrapNewFileKey(publicKey: string): Promise<{ header: Uint8Array; fileKey: Uint8Array }> {
  // The library takes 20 MiB, which a server that never encrypts does not need.
  const [{ Encrypter }, { readRecipients }] = await Promise.all([import("age-encryption"), import("./public-key.ts")]);
  const encrypter = new Encrypter();
  for (const recipient of readRecipients([publicKey])) encrypter.addRecipient(recipient);
  let fileKey = new Uint8Array(0);
  encrypter.addRecipient({
    wrapFileKey(key) {
      fileKey = key.slice();
      return [];
    },
  });
  const file = await encrypter.encrypt(new Uint8Array(0));
  if (fileKey.length === 0) throw new Error("the library did not pass the file key to the recipient");
  return { header: file.subarray(0, checkHeader(file).sizeBytes), fileKey };
}

function encryptChunk(chunk: Uint8Array, key: Uint8Array, nonce: Uint8Array): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
}

/** The nonce of a chunk is eleven bytes of counter, and 1 for the last chunk. */
function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

class ArmorWriter {
  readonly #out: Buffer;
  #at = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sizeBytes: number) {
    this.#out = Buffer.allocUnsafeSlow(armoredLength(sizeBytes));
    this.#text(`${ARMOR_BEGIN}\r\n`);
  }

  write(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const whole = all.length - (all.length % LINE_BYTES);
    const base64 = Buffer.from(all.toString("base64", 0, whole), "latin1");
    for (let from = 0; from < base64.length; from += LINE_CHARS) {
      base64.copy(this.#out, this.#at, from, from + LINE_CHARS);
      this.#at += LINE_CHARS;
      this.#out[this.#at++] = CR;
      this.#out[this.#at++] = LF;
    }
    this.#rest = all.subarray(whole);
  }

  end(): Buffer {
    if (this.#rest.length > 0) this.#text(`${Buffer.from(this.#rest).toString("base64")}\r\n`);
    this.#text(`${ARMOR_END}\r\n`);
    return this.#out.subarray(0, this.#at);
  }

  #text(text: string): void {
    this.#at += this.#out.write(text, this.#at, "latin1");
  }
}
