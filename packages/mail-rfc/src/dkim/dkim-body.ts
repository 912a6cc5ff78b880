/**
 * Canonicalizes a body for verification (RFC 6376 §3.4.3, §3.4.4) in chunks, which are views where nothing changes.
 * Native searches, so that JavaScript runs per line at most. A bare LF counts as a line end, since some programs sign
 * before they convert to CRLF.
 */

export type DkimCanonicalization = "simple" | "relaxed";

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const CRLF = Buffer.from("\r\n");
const TWO_SPACES = 0x2020;
const ONE_SPACE = Buffer.from(" ");
const WINDOW_BYTES = 64 * 1024;
const shifted = new Uint8Array(WINDOW_BYTES + 2);
const emptyLines = Buffer.from("\r\n".repeat(WINDOW_BYTES / 2));

/** Yields a canonical body. @param body not dot-stuffed @returns whether only empty lines at the end changed */
export function* canonicalBody(body: Buffer, canonicalization: DkimCanonicalization): Generator<Buffer, boolean> {
  let pendingLines = 0;
  let hasPendingSpace = false;
  let isEmpty = true;
  let isUnchanged = true;
  for (const { bytes, endsMidLine } of windows(body)) {
    // Windows of empty lines are skipped: a message may have millions of them.
    if (!hasPendingSpace && bytes.equals(emptyLines)) {
      pendingLines += bytes.length / 2;
      continue;
    }
    const piece = canonicalLines(hasPendingSpace ? Buffer.concat([ONE_SPACE, bytes]) : bytes, canonicalization);
    // White space at the end of a window becomes one space or nothing, depending on how the line continues.
    hasPendingSpace = endsMidLine && canonicalization === "relaxed" && isBlank(bytes.at(-1));
    if (piece !== bytes) isUnchanged = false;
    const end = endOfText(piece);
    if (end > 0) {
      // Empty lines count only if text follows them.
      yield* blankLines(pendingLines);
      pendingLines = 0;
      isEmpty = false;
    }
    // Yields empty chunks too, so that the caller can track progress window by window.
    yield piece.subarray(0, end);
    pendingLines += (piece.length - end) / 2;
  }
  if (!isEmpty || canonicalization === "simple") yield CRLF;
  return isUnchanged;
}

interface Window {
  bytes: Buffer;
  endsMidLine: boolean;
}

/** Yields windows, cut after their last line end if there is one, and never between CR and LF. */
function* windows(body: Buffer): Generator<Window, void> {
  for (let at = 0; at < body.length; ) {
    const bytes = body.subarray(at, at + WINDOW_BYTES);
    const lineEnd = bytes.lastIndexOf(LF) + 1;
    const isLast = at + bytes.length === body.length;
    const splitsCrlf = body[at + WINDOW_BYTES] === LF && bytes.at(-1) === CR;
    const size = isLast ? bytes.length : lineEnd || (splitsCrlf ? WINDOW_BYTES - 1 : WINDOW_BYTES);
    yield { bytes: bytes.subarray(0, size), endsMidLine: !isLast && lineEnd === 0 };
    at += size;
  }
}

function canonicalLines(window: Buffer, canonicalization: DkimCanonicalization): Buffer {
  const isRelaxed = canonicalization === "relaxed";
  if (!hasOddLineEnd(window, isRelaxed) && !(isRelaxed && hasLooseSpace(window))) return window;
  const text = window.toString("latin1").replace(/(?<!\r)\n/g, "\r\n");
  return Buffer.from(isRelaxed ? withoutLooseSpace(text) : text, "latin1");
}

function hasOddLineEnd(window: Buffer, isRelaxed: boolean): boolean {
  for (let at = window.indexOf(LF); at >= 0; at = window.indexOf(LF, at + 1)) {
    if (at === 0 || window[at - 1] !== CR) return true;
    if (isRelaxed && at > 1 && window[at - 2] === SPACE) return true;
  }
  return false;
}

/** Whether white space apart from spaces before a line end changes; base64 has none, which one search shows. */
function hasLooseSpace(window: Buffer): boolean {
  if (window.indexOf(TAB) >= 0) return true;
  return window.indexOf(SPACE) >= 0 && (window.at(-1) === SPACE || hasTwoSpaces(window));
}

/** Compares pairs of bytes, at even addresses and then at odd ones: a quarter of the time of `indexOf("  ")`. */
function hasTwoSpaces(window: Buffer): boolean {
  const first = window.byteOffset % 2;
  const pairs = new Uint16Array(window.buffer, window.byteOffset + first, (window.length - first) >> 1);
  if (pairs.indexOf(TWO_SPACES) >= 0) return true;
  const others = window.subarray(1 - first);
  shifted.set(others);
  return new Uint16Array(shifted.buffer, 0, others.length >> 1).indexOf(TWO_SPACES) >= 0;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Reduces white space in two passes, so that no run is scanned twice. */
function withoutLooseSpace(text: string): string {
  const reduced = text.replace(/[ \t]{2,}|\t/g, " ").replaceAll(" \r\n", "\r\n");
  return reduced.endsWith(" ") ? reduced.slice(0, -1) : reduced;
}

function endOfText(piece: Buffer): number {
  let end = piece.length;
  while (end >= 2 && piece[end - 1] === LF && piece[end - 2] === CR) end -= 2;
  return end;
}

function* blankLines(count: number): Generator<Buffer, void> {
  for (let left = count * 2; left > 0; left -= emptyLines.length) {
    yield emptyLines.subarray(0, Math.min(left, emptyLines.length));
  }
}
