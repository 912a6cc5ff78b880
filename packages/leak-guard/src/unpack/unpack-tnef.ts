/** Reads `winmail.dat` (MS-OXTNEF) and compressed rich text (MS-OXRTFCP), also of .msg files. */
import type { Inner } from "../inner.ts";
import type { UnpackBudget } from "./unpack-limits.ts";

const TNEF_MAGIC = 0x223e9f78;
const HEADER_BYTES = 6;
/** Bytes of level, id and length at the start of an attribute. */
const ATTRIBUTE_BYTES = 9;
const CHECKSUM_BYTES = 2;
/** Minimum bytes of an attachment that can be a container. */
const ATTACHMENT_MIN = 32;
const ATTACHMENT_IDS: ReadonlySet<number> = new Set([0x0006800f, 0x00069005]);
const RTF_MAGIC = Buffer.from("LZFu");
/** Bytes of a compressed rich text's header: two sizes, the magic number and a checksum. */
const RTF_HEADER_BYTES = 16;
const DICTIONARY = Buffer.from(
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}" +
    "{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier" +
    "{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx",
);
const WINDOW_BYTES = 4096;
/** Maximum growth: a token of two bytes yields 18 bytes at most. */
const GAIN_MAX = 9;

export const isTnef = (bytes: Buffer): boolean => bytes.length > HEADER_BYTES && bytes.readUInt32LE(0) === TNEF_MAGIC;

export function* unpackTnef(bytes: Buffer): Generator<Inner> {
  for (let at = HEADER_BYTES; at + ATTRIBUTE_BYTES <= bytes.length; ) {
    const id = bytes.readUInt32LE(at + 1);
    const start = at + ATTRIBUTE_BYTES;
    const end = Math.min(bytes.length, start + bytes.readUInt32LE(at + 5));
    if (ATTACHMENT_IDS.has(id) && end - start >= ATTACHMENT_MIN) yield { bytes: bytes.subarray(start, end) };
    at = end + CHECKSUM_BYTES;
  }
}

/** Finds compressed rich text at any offset. @throws UnsearchableError */
export function* unpackRichText(bytes: Buffer, budget: UnpackBudget): Generator<Inner> {
  for (let at = bytes.indexOf(RTF_MAGIC); at >= 0; ) {
    const start = at - 8 < 0 ? -1 : at - 8;
    const packedSize = start < 0 ? 0 : Math.max(0, bytes.readUInt32LE(start) - 12);
    const data = bytes.subarray(at + 8, at + 8 + packedSize);
    if (data.length > 0) {
      const size = Math.min(bytes.readUInt32LE(start + 4), data.length * GAIN_MAX);
      budget.countInflated(size);
      yield { bytes: inflateRichText(data, size) };
    }
    at = bytes.indexOf(RTF_MAGIC, at + RTF_HEADER_BYTES - 8 + data.length);
  }
}

/** LZ77 over a ring buffer of 4 KiB, prefilled with common RTF control words. */
function inflateRichText(data: Buffer, rawSize: number): Buffer {
  const out = Buffer.alloc(rawSize);
  const ring = Buffer.alloc(WINDOW_BYTES, 0x20);
  DICTIONARY.copy(ring);
  let [write, size, at] = [DICTIONARY.length, 0, 0];
  const put = (byte: number) => {
    out[size++] = byte;
    ring[write] = byte;
    write = (write + 1) % WINDOW_BYTES;
  };
  while (at < data.length && size < out.length) {
    let control = data[at++] as number;
    for (let bit = 0; bit < 8 && at < data.length && size < out.length; bit += 1, control >>= 1) {
      if ((control & 1) === 0) {
        put(data[at++] as number);
        continue;
      }
      const token = ((data[at] as number) << 8) | (data[at + 1] ?? 0);
      at += 2;
      const offset = token >> 4;
      if (offset === write) return out.subarray(0, size);
      for (let index = 0; index < (token & 0x0f) + 2 && size < out.length; index += 1) {
        put(ring[(offset + index) % WINDOW_BYTES] as number);
      }
    }
  }
  return out.subarray(0, size);
}
