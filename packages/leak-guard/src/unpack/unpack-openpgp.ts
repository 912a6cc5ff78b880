/**
 * Reads OpenPGP packets (RFC 9580 §4.2): inflates compressed ones and joins data in partial lengths. User IDs and the
 * signer's user ID of a signature need no unpacking: they are contiguous. Encrypted data and bzip2 are not read.
 */
import type { Inner } from "../inner.ts";

const COMPRESSED = 8;
const LITERAL = 11;
const PACKETS_MAX = 10_000;

interface Packet {
  tag: number;
  body: Buffer;
  end: number;
}

/** Whether bytes begin like OpenPGP keys, signatures or messages. */
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
    // A literal packet starts with format, file name length, file name and date (RFC 9580 §5.9).
    if (tag === LITERAL) yield { bytes: body.subarray(6 + (body[1] ?? 0)) };
    at = end;
  }
}

/** @returns the OpenPGP packet at this offset; `null` when none begins there */
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
