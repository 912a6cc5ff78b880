/**
 * Memory shared by the main thread and the signing thread: a ring of slots, each for one text to be signed and then for
 * its signature. Passing a message between the threads for every signature would cost what the thread saves, so both
 * sides only count in shared memory, and one wakes the other only if it sleeps.
 */

/** Positions of the counters. */
export const COUNTER = {
  /** Number of texts submitted. */
  submitted: 0,
  /** Number of texts signed, or given up. */
  done: 1,
  /** 1 while the signing thread sleeps, waiting for `submitted` to change. */
  isAsleep: 2,
  /** 1 once the main thread has been told about finished signatures and has not looked yet. */
  isTold: 3,
} as const;

/** Maximum texts that wait at once. */
export const SLOTS = 128;
/** Maximum bytes of a text; one of a usual header has some 1,200. */
export const TEXT_MAX_BYTES = 8192;
const LENGTH_BYTES = 4;
const KEY_BYTES = 4;
const SLOT_BYTES = LENGTH_BYTES + KEY_BYTES + TEXT_MAX_BYTES;
const COUNTERS_BYTES = 64;

export class SigningSlots {
  readonly memory: SharedArrayBuffer;
  readonly counters: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Buffer;

  constructor(memory = new SharedArrayBuffer(COUNTERS_BYTES + SLOTS * SLOT_BYTES)) {
    this.memory = memory;
    this.counters = new Int32Array(memory, 0, COUNTERS_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = Buffer.from(memory, COUNTERS_BYTES);
  }

  /** @param text at most `TEXT_MAX_BYTES` characters, one per byte @param key number of the key to sign with */
  writeText(at: number, key: number, text: string): void {
    const start = startOf(at);
    const length = this.#bytes.write(text, start + LENGTH_BYTES + KEY_BYTES, "latin1");
    this.#bytes.writeUInt32LE(length, start);
    this.#bytes.writeUInt32LE(key, start + LENGTH_BYTES);
  }

  /** @returns a view of the text, and the number of its key */
  readText(at: number): { text: Buffer; key: number } {
    const start = startOf(at);
    return { text: this.#content(start), key: this.#bytes.readUInt32LE(start + LENGTH_BYTES) };
  }

  /** Replaces a text by its signature; an empty one means that the text could not be signed. */
  writeSignature(at: number, signature: Buffer): void {
    const start = startOf(at);
    this.#bytes.writeUInt32LE(signature.length, start);
    signature.copy(this.#bytes, start + LENGTH_BYTES + KEY_BYTES);
  }

  /** @returns a copy of the signature; `null` if it could not be made */
  readSignature(at: number): Buffer | null {
    const content = this.#content(startOf(at));
    return content.length === 0 ? null : Buffer.from(content);
  }

  #content(start: number): Buffer {
    const from = start + LENGTH_BYTES + KEY_BYTES;
    return this.#bytes.subarray(from, from + this.#bytes.readUInt32LE(start));
  }
}

/** @param at number of texts submitted before this one, which may have wrapped around */
function startOf(at: number): number {
  return ((at >>> 0) % SLOTS) * SLOT_BYTES;
}
