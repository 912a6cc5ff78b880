/**
 * Joins octet strings that BER splits (X.690 §8.7.3) in signed or compressed S/MIME (RFC 8551 §3.5), and reads OpenPGP
 * packets. Certificates need no unpacking.
 */
import type { Inner } from "../inner.ts";

const SEQUENCE = 0x30;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const IS_CONSTRUCTED = 0x20;
/** Minimum bytes of an octet string to join; shorter ones hold digests and identifiers. */
const CONTENT_MIN = 64;
const ELEMENTS_MAX = 200_000;
const DEPTH_MAX = 40;

/** A ContentInfo (RFC 5652 §3): a sequence whose first element is an object identifier. */
export function isCms(bytes: Buffer): boolean {
  const element = bytes[0] === SEQUENCE ? readElement(bytes, 0) : null;
  return element !== null && bytes[element.start] === OBJECT_IDENTIFIER;
}

interface Level {
  end: number;
  segments: Buffer[];
}

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

/** Reads a BER element; an indefinite length extends to the end. @returns `null` when no valid element begins there */
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

const COMPRESSED = 8;
const LITERAL = 11;
const PACKETS_MAX = 10_000;

interface Packet {
  tag: number;
  body: Buffer;
  end: number;
}

export function isOpenPgp(bytes: Buffer): boolean {
  const packet = readPacket(bytes, 0);
  return packet !== null && [2, 4, 6, COMPRESSED, LITERAL].includes(packet.tag) && packet.body.length > 0;
}

export function* unpackOpenPgp(bytes: Buffer): Generator<Inner> {
  let at = 0;
  for (let count = 0; count < PACKETS_MAX && at < bytes.length; count += 1) {
    const packet = readPacket(bytes, at);
    if (packet === null) return;
    const { tag, body, end } = packet;
    if (tag === COMPRESSED && body[0] === 1) yield { bytes: body.subarray(1), packing: "deflate", kind: "openpgp" };
    if (tag === COMPRESSED && body[0] === 2) yield { bytes: body.subarray(1), packing: "zlib", kind: "openpgp" };
    // Format, file name length, file name and date come first (RFC 9580 §5.9).
    if (tag === LITERAL) yield { bytes: body.subarray(6 + (body[1] ?? 0)) };
    at = end;
  }
}

function readPacket(bytes: Buffer, at: number): Packet | null {
  const first = bytes[at] ?? 0;
  if ((first & 0x80) === 0) return null;
  return (first & 0x40) === 0 ? readOldPacket(bytes, at, first) : readNewPacket(bytes, at, first & 0x3f);
}

function readOldPacket(bytes: Buffer, at: number, first: number): Packet | null {
  const tag = (first >> 2) & 0x0f;
  const lengthBytes = [1, 2, 4, 0][first & 3] as number;
  const start = at + 1 + lengthBytes;
  if (start > bytes.length) return null;
  const end = lengthBytes === 0 ? bytes.length : Math.min(bytes.length, start + bytes.readUIntBE(at + 1, lengthBytes));
  return { tag, body: bytes.subarray(start, end), end };
}

function readNewPacket(bytes: Buffer, at: number, tag: number): Packet | null {
  const pieces: Buffer[] = [];
  for (let next = at + 1; next < bytes.length; ) {
    const length = readLength(bytes, next);
    if (length === null) return null;
    const end = Math.min(bytes.length, length.start + length.size);
    pieces.push(bytes.subarray(length.start, end));
    if (!length.isPartial)
      return { tag, body: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces), end };
    next = end;
  }
  return { tag, body: Buffer.concat(pieces), end: bytes.length };
}

function readLength(bytes: Buffer, at: number): { start: number; size: number; isPartial: boolean } | null {
  const first = bytes[at] as number;
  if (first < 192) return { start: at + 1, size: first, isPartial: false };
  if (first < 224) {
    const size = ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192;
    return { start: at + 2, size, isPartial: false };
  }
  if (first < 255) return { start: at + 1, size: 2 ** (first & 0x1f), isPartial: true };
  return at + 5 > bytes.length ? null : { start: at + 5, size: bytes.readUInt32BE(at + 1), isPartial: false };
}
