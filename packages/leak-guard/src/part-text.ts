/** Byte order marks of UTF-16 as Latin-1. */

const BOM = /^(?:\xff\xfe|\xfe\xff)/;
const SAMPLE = 4096;
/** Share of control characters above which a sample is no text. */
const CONTROL_SHARE = 0.02;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression counts control characters
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g;
const DECODED_AT_ONCE = 1_048_576;
const UU_BEGIN = /^begin(?:-base64)? [0-7]{3,4} [^\r\n]{1,255}\r?\n/gm;

/** Text is ASCII-compatible, or begins with a UTF-16 byte order mark. */
export function isText(bytes: Buffer): boolean {
  if (BOM.test(bytes.toString("latin1", 0, 2))) return true;
  const middle = bytes.length >> 1;
  return [0, middle, bytes.length - SAMPLE].every((start) => {
    const sample = bytes.toString("latin1", Math.max(0, start), Math.max(0, start) + SAMPLE);
    return (sample.match(CONTROL)?.length ?? 0) <= sample.length * CONTROL_SHARE;
  });
}

export function decodeText(bytes: Buffer, charset: string): string {
  const mark = bytes.toString("latin1", 0, 2);
  if (mark === "\xff\xfe") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "\xfe\xff") return new TextDecoder("utf-16be").decode(bytes);
  if (charset === "utf-7") return decodeUtf7(bytes.toString("latin1"));
  try {
    return new TextDecoder(charset === "" ? "utf-8" : charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}

/** Chunk by chunk (RFC 2152), because V8 collects all matches of a replacement first. */
function decodeUtf7(text: string): string {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const near = text.slice(start, start + DECODED_AT_ONCE);
    const space = near.length < DECODED_AT_ONCE ? -1 : near.search(/\s\S{0,200}$/);
    const piece = space < 1 ? near : near.slice(0, space);
    pieces.push(decodeUtf7Piece(piece));
    start += piece.length;
  }
  return pieces.join("");
}

function decodeUtf7Piece(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]{0,60000})-?/g, (_, digits: string) => {
    if (digits === "") return "+";
    const bytes = Buffer.from(digits, "base64");
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString("utf16le");
  });
}

/** Finds uuencoded files, which old programs put into the text. */
export function* findUuencoded(text: string): Generator<Buffer> {
  for (const { index, 0: begin } of text.matchAll(UU_BEGIN)) {
    if (begin.startsWith("begin-")) continue;
    const start = index + begin.length;
    const end = /^(?:end\b|begin )/gm;
    end.lastIndex = start;
    const lines = text.slice(start, end.exec(text)?.index ?? text.length).split(/\r?\n/);
    yield Buffer.concat(lines.map(decodeUuLine));
  }
}

function decodeUuLine(line: string): Buffer {
  const size = (line.charCodeAt(0) - 32) & 63;
  const sextets = Buffer.from(line.slice(1), "latin1").map((code) => (code - 32) & 63);
  const out = Buffer.alloc(Math.ceil(sextets.length / 4) * 3);
  for (let at = 0; at < sextets.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = sextets.subarray(at, at + 4);
    out.writeUIntBE((a << 18) | (b << 12) | (c << 6) | d, (at / 4) * 3, 3);
  }
  return out.subarray(0, Number.isNaN(size) ? 0 : size);
}
