/** Text as a MIME body (RFC 2045 §6): the encoding that keeps it readable on the wire, and the encoded lines. ASCII comes out. */

export interface EncodedText {
  encoding: "7bit" | "quoted-printable" | "base64";
  /** CRLF lines, ending in CRLF. */
  bytes: Buffer;
}

const LINE_MAX = 998;
const COLUMNS = 76;
/** One octet in six costs base64's third; beyond that quoted-printable is the longer one. */
const BASE64_SHARE = 1 / 6;

/**
 * 7bit where every line may stand as it is, else the shorter of the two others. Line ends of any kind become CRLF; lone
 * surrogates become U+FFFD.
 * @example encodeText("hi") // { encoding: "7bit", bytes: "hi\r\n" }
 */
export function encodeText(text: string): EncodedText {
  const lines = `${text.toWellFormed().replace(/\r\n|\r|\n/g, "\r\n")}`;
  const whole = lines.endsWith("\r\n") ? lines : `${lines}\r\n`;
  const bytes = Buffer.from(whole, "utf8");
  if (is7Bit(whole)) return { encoding: "7bit", bytes };
  if (countUnprintable(bytes) > bytes.length * BASE64_SHARE) return { encoding: "base64", bytes: toBase64Lines(bytes) };
  return { encoding: "quoted-printable", bytes: toQuotedPrintable(whole) };
}

/** @param text latin1, CRLF line ends @returns latin1; what is no such encoding stays as it is */
export function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\r\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function is7Bit(text: string): boolean {
  return /^[\t\r\n -~]*$/.test(text) && text.split("\r\n").every((line) => line.length <= LINE_MAX);
}

function countUnprintable(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 0x0d && byte !== 0x0a)) count += 1;
  return count;
}

/** CRLF lines of 76, the last one ended. */
export function toBase64Lines(bytes: Buffer): Buffer {
  const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
  return Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1");
}

/** @param text with CRLF line ends, the last one included */
function toQuotedPrintable(text: string): Buffer {
  const lines = text.slice(0, -2).split("\r\n");
  return Buffer.from(lines.map((line) => `${quoteLine(line)}\r\n`).join(""), "latin1");
}

function quoteLine(line: string): string {
  const bytes = Buffer.from(line, "utf8");
  const rows: string[] = [];
  let row = "";
  for (let at = 0; at < bytes.length; at += 1) {
    const sign = quoteByte(bytes[at] as number, at === bytes.length - 1);
    // One column stays free for the soft break.
    if (row.length + sign.length > COLUMNS - 1) {
      rows.push(row);
      row = "";
    }
    row += sign;
  }
  return [...rows, row].join("=\r\n");
}

/** White space at the end of a line may get lost on the way, so there it is quoted. */
function quoteByte(byte: number, isLast: boolean): string {
  const isWhiteSpace = byte === 0x20 || byte === 0x09;
  const isPlain = isWhiteSpace ? !isLast : byte > 0x20 && byte < 0x7f && byte !== 0x3d;
  return isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
