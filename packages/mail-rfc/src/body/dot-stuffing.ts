/**
 * Dot-stuffing of DATA (RFC 5321 §4.5.2). A line begins at the start and after CRLF, nowhere else. When nothing
 * changes, as is usual, the same buffer is returned.
 */
import { headerLimits } from "../header/headers.ts";

const LINE_DOT = Buffer.from("\r\n.");
const DOT = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
const CRLF_BYTES = 2;
const WINDOW_BYTES = 64 * 1024;
/** Number of lines beginning with a dot from which on dots are added byte by byte. */
const MANY_DOTS = 10_000;

export function stuff(bytes: Buffer): Buffer {
  const dots = findLineDots(bytes, MANY_DOTS);
  if (dots.length === 0) return bytes;
  if (dots.length === MANY_DOTS) return stuffByByte(bytes);
  const out = Buffer.allocUnsafe(bytes.length + dots.length);
  let from = 0;
  let to = 0;
  for (const dot of dots) {
    to += bytes.copy(out, to, from, dot);
    out[to++] = DOT;
    from = dot;
  }
  bytes.copy(out, to, from);
  return out;
}

export function unstuff(wire: Buffer): Buffer {
  const dots = findLineDots(wire, MANY_DOTS);
  if (dots.length === 0) return wire;
  if (dots.length === MANY_DOTS) return unstuffByByte(wire);
  const out = Buffer.allocUnsafe(wire.length - dots.length);
  let from = 0;
  let to = 0;
  for (const dot of dots) {
    to += wire.copy(out, to, from, dot);
    from = dot + 1;
  }
  wire.copy(out, to, from);
  return out;
}

const BLANK_LINE = Buffer.from("\r\n\r\n");

/** Doubles single dots before a header line, or we would read other field names than the next host. */
export function withStuffedHeader(wire: Buffer): Buffer {
  const start = wire.subarray(0, headerLimits.bytesMax);
  const blank = start.indexOf(BLANK_LINE);
  const header = blank < 0 ? start : start.subarray(0, blank);
  if (findLineDots(header).every((at) => header[at + 1] === DOT)) return wire;
  return Buffer.concat([stuff(unstuff(header)), wire.subarray(header.length)]);
}

/** Handles a body with very many dots, for which searching each dot is slower. */
function unstuffByByte(wire: Buffer): Buffer {
  const out = Buffer.allocUnsafe(wire.length);
  let to = 0;
  let lineStart = true;
  for (let at = 0; at < wire.length; at++) {
    const byte = wire[at] as number;
    if (!lineStart || byte !== DOT) out[to++] = byte;
    lineStart = byte === LF && at > 0 && wire[at - 1] === CR;
  }
  return out.subarray(0, to);
}

function stuffByByte(bytes: Buffer): Buffer {
  // Maximum size of the output: only one of three bytes can be a dot after a CRLF, and the first dot needs no CRLF.
  const out = Buffer.allocUnsafe(bytes.length + Math.ceil(bytes.length / 3) + 1);
  let to = 0;
  let lineStart = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (lineStart && byte === DOT) out[to++] = DOT;
    out[to++] = byte;
    lineStart = byte === LF && at > 0 && bytes[at - 1] === CR;
  }
  return out.subarray(0, to);
}

/** Skips windows without any dot, such as base64. @returns offsets of dots that begin a line, at most `most` */
function findLineDots(bytes: Buffer, most = Number.POSITIVE_INFINITY): number[] {
  const dots = bytes[0] === DOT ? [0] : [];
  for (let start = 0; start < bytes.length && dots.length < most; start += WINDOW_BYTES) {
    // A dot at the start of a window begins a line if the previous window ends in CRLF, so those two bytes are included.
    const from = Math.max(0, start - CRLF_BYTES);
    const window = bytes.subarray(from, start + WINDOW_BYTES);
    if (window.indexOf(DOT) < 0) continue;
    for (let at = window.indexOf(LINE_DOT); at >= 0 && dots.length < most; at = window.indexOf(LINE_DOT, at + 3)) {
      dots.push(from + at + CRLF_BYTES);
    }
  }
  return dots;
}
