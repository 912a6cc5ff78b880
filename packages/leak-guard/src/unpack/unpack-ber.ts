/**
 * Joins octet strings that BER splits into segments (X.690 §8.7.3), as in opaquely signed or compressed S/MIME messages
 * (RFC 8551 §3.5). Certificates need no unpacking: their strings are contiguous.
 */
import type { Inner } from "../inner.ts";

const SEQUENCE = 0x30;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const IS_CONSTRUCTED = 0x20;
/** Bytes below which an octet string is skipped; shorter ones hold digests and identifiers. */
const CONTENT_MIN = 64;
const ELEMENTS_MAX = 200_000;
const DEPTH_MAX = 40;

/** Whether bytes begin like a ContentInfo (RFC 5652 §3): a sequence whose first element is an object identifier. */
export function isCms(bytes: Buffer): boolean {
  const element = bytes[0] === SEQUENCE ? readElement(bytes, 0) : null;
  return element !== null && bytes[element.start] === OBJECT_IDENTIFIER;
}

interface Level {
  end: number;
  /** Contents of the octet strings that are direct children of this element, in order. */
  segments: Buffer[];
}

/** Reads all elements in one pass and joins the segments that share a parent. */
export function* unpackBer(bytes: Buffer): Generator<Inner> {
  const levels: Level[] = [{ end: bytes.length, segments: [] }];
  let at = 0;
  for (let count = 0; count < ELEMENTS_MAX && at < bytes.length; count += 1) {
    while (levels.length > 1 && at >= (levels.at(-1) as Level).end) yield* close(levels);
    const element = readElement(bytes, at);
    if (element === null) break;
    const { tag, start, end } = element;
    if (tag === 0 && start === end) {
      if (levels.length > 1) yield* close(levels);
      at = end;
    } else if ((tag & IS_CONSTRUCTED) !== 0 && levels.length < DEPTH_MAX) {
      levels.push({ end, segments: [] });
      at = start;
    } else {
      if ((tag & 0x1f) === OCTET_STRING || tag === 0x80) levels.at(-1)?.segments.push(bytes.subarray(start, end));
      at = end;
    }
  }
  while (levels.length > 0) yield* close(levels);
}

function* close(levels: Level[]): Generator<Inner> {
  const content = Buffer.concat(levels.pop()?.segments ?? []);
  if (content.length >= CONTENT_MIN) yield { bytes: content };
}

/**
 * Reads the tag and length of the element at an offset; an indefinite length extends to the end of the bytes.
 * @returns `null` when no valid element begins there
 */
function readElement(bytes: Buffer, at: number): { tag: number; start: number; end: number } | null {
  const tag = bytes[at] as number;
  const first = bytes[at + 1];
  // Multi-byte tags are not used for elements that may hold an address.
  if (first === undefined || (tag & 0x1f) === 0x1f) return null;
  if (first === 0x80) return { tag, start: at + 2, end: bytes.length };
  const lengthBytes = first > 0x80 ? first & 0x7f : 0;
  if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) return null;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  return { tag, start, end: Math.min(bytes.length, start + length) };
}
