/**
 * Reads members of zip archives, which office files are too (APPNOTE.TXT 6.3), by local headers instead of the
 * directory, so that unlisted members are found. Deflate and zstd; encrypted members are not read.
 */

import type { Inner } from "../inner.ts";
import type { Packing } from "./inflate.ts";

export const ZIP_MAGIC = Buffer.from("PK\x03\x04", "latin1");
const NEXT_RECORDS = ["PK\x03\x04", "PK\x01\x02", "PK\x07\x08"].map((text) => Buffer.from(text, "latin1"));
const HEADER_BYTES = 30;
const IS_ENCRYPTED = 1;
const HAS_DESCRIPTOR = 8;
const STORED = 0;
const packings: ReadonlyMap<number, Packing> = new Map([
  [8, "deflate"],
  [93, "zstd"],
]);

/** Yields members; they never overlap, so that the work is linear. */
export function* unpackZip(bytes: Buffer): Generator<Inner> {
  const records = NEXT_RECORDS.map((mark) => new MarkFinder(bytes, mark));
  let at = bytes.indexOf(ZIP_MAGIC);
  while (at >= 0 && at + HEADER_BYTES <= bytes.length) {
    const flags = bytes.readUInt16LE(at + 6);
    const method = bytes.readUInt16LE(at + 8);
    const size = bytes.readUInt32LE(at + 18);
    const start = at + HEADER_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const isSized = (flags & HAS_DESCRIPTOR) === 0 && size <= bytes.length - start;
    const end = isSized ? start + size : Math.min(...records.map((finder) => finder.next(start)));
    const data = bytes.subarray(start, end);
    const packing = packings.get(method);
    if ((flags & IS_ENCRYPTED) === 0 && data.length > 0) {
      if (packing !== undefined) yield { bytes: data, packing };
      else if (method === STORED && isSized) yield { bytes: data };
    }
    // A stored member of unknown size may itself be an archive.
    at = bytes.indexOf(ZIP_MAGIC, Math.max(isSized ? end : start, at + 4));
  }
}

/** Finds the next mark, remembering the last one, since requested positions only increase. */
class MarkFinder {
  readonly #bytes: Buffer;
  readonly #mark: Buffer;
  #found = -1;

  constructor(bytes: Buffer, mark: Buffer) {
    this.#bytes = bytes;
    this.#mark = mark;
  }

  next(from: number): number {
    if (this.#found < from) {
      const at = this.#bytes.indexOf(this.#mark, from);
      this.#found = at < 0 ? this.#bytes.length : at;
    }
    return this.#found;
  }
}
