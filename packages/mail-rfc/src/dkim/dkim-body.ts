/**
 * The canonical body of RFC 6376 §3.4.3 and §3.4.4, as a verifier needs it: in pieces, taken where they lie wherever nothing has
 * to change, which is nearly always. Searches natively, line by line at most. A bare LF counts as the end of a line, as sent
 * by programs that sign before they write CRLF. No piece is larger than a window, even where a line is.
 */

export type DkimCanonicalization = "simple" | "relaxed";

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const CRLF = Buffer.from("\r\n");
const TWO_SPACES = Buffer.from("  ");
const ONE_SPACE = Buffer.from(" ");
const SPACE_CRLF = Buffer.from(" \r\n");
const WINDOW_BYTES = 64 * 1024;
const emptyLines = Buffer.from("\r\n".repeat(WINDOW_BYTES / 2));

/**
 * @param body plain (not dot-stuffed), as it was received
 * Yields pieces that together are the canonical body; views into `body` where it needs no change.
 * @returns whether nothing was changed but the empty lines at the end
 */
export function* canonicalBody(body: Buffer, canonicalization: DkimCanonicalization): Generator<Buffer, boolean> {
  let heldLines = 0;
  let isSpaceHeld = false;
  let isEmpty = true;
  let isAsItLies = true;
  for (const { bytes, goesOn } of windows(body)) {
    // Nothing to look at line by line: a message can have twelve million of them.
    if (!isSpaceHeld && bytes.equals(emptyLines)) {
      heldLines += bytes.length / 2;
      continue;
    }
    const piece = canonicalLines(isSpaceHeld ? Buffer.concat([ONE_SPACE, bytes]) : bytes, canonicalization);
    // Blanks at the end of a window are one space or nothing, as the line goes on.
    isSpaceHeld = goesOn && canonicalization === "relaxed" && isBlank(bytes.at(-1));
    if (piece !== bytes) isAsItLies = false;
    const end = endOfText(piece);
    if (end > 0) {
      // Empty lines count only once something follows them.
      yield* blankLines(heldLines);
      heldLines = 0;
      isEmpty = false;
    }
    // An empty piece too: whoever reads on knows that a window was worked on.
    yield piece.subarray(0, end);
    heldLines += (piece.length - end) / 2;
  }
  if (!isEmpty || canonicalization === "simple") yield CRLF;
  return isAsItLies;
}

interface Window {
  bytes: Buffer;
  /** Cut within a line. */
  goesOn: boolean;
}

/** Cut behind the end of a line where there is one, never between CR and LF. */
function* windows(body: Buffer): Generator<Window, void> {
  for (let at = 0; at < body.length; ) {
    const bytes = body.subarray(at, at + WINDOW_BYTES);
    const lineEnd = bytes.lastIndexOf(LF) + 1;
    const isLast = at + bytes.length === body.length;
    const isBetween = body[at + WINDOW_BYTES] === LF && bytes.at(-1) === CR;
    const size = isLast ? bytes.length : lineEnd || (isBetween ? WINDOW_BYTES - 1 : WINDOW_BYTES);
    yield { bytes: bytes.subarray(0, size), goesOn: !isLast && lineEnd === 0 };
    at += size;
  }
}

function canonicalLines(window: Buffer, canonicalization: DkimCanonicalization): Buffer {
  const isBare = hasBareLineFeed(window);
  const isRelaxing = canonicalization === "relaxed" && hasLooseSpace(window);
  if (!isBare && !isRelaxing) return window;
  let text = window.toString("latin1");
  if (isBare) text = text.replace(/(?<!\r)\n/g, "\r\n");
  if (canonicalization === "relaxed") text = withoutLooseSpace(text);
  return Buffer.from(text, "latin1");
}

function hasBareLineFeed(window: Buffer): boolean {
  for (let at = window.indexOf(LF); at >= 0; at = window.indexOf(LF, at + 1)) {
    if (at === 0 || window[at - 1] !== CR) return true;
  }
  return false;
}

/** Also true for a space before a bare LF, which makes no difference: such a window is rewritten anyway. */
function hasLooseSpace(window: Buffer): boolean {
  return (
    window.at(-1) === SPACE ||
    window.indexOf(TAB) >= 0 ||
    window.indexOf(TWO_SPACES) >= 0 ||
    window.indexOf(SPACE_CRLF) >= 0
  );
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Two passes, so that no run of blanks is looked at twice. */
function withoutLooseSpace(text: string): string {
  const reduced = text.replace(/[ \t]{2,}|\t/g, " ").replaceAll(" \r\n", "\r\n");
  return reduced.endsWith(" ") ? reduced.slice(0, -1) : reduced;
}

/** Where the empty lines at the end begin, the end of the last line of text among them. */
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
