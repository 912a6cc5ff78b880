/**
 * Encoded words (RFC 2047), decoded from every charset the platform knows, encoded in UTF-8. Decoded text may contain
 * any character, so it must be cleaned before it is written into a header.
 */
import { isAscii, isUtf8 } from "node:buffer";

const WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?\s]*)\?=/gi;
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Octets per encoded word: 39 become 64 characters of the 75 allowed (§2), so that a word fits after a field name. */
const CHUNK_OCTETS = 39;
/** Characters above which even plain ASCII is encoded, because only encoded words can be split over lines. */
const LONGEST_BARE_WORD = 60;

interface Run {
  charset: string;
  bytes: Buffer[];
  raw: string;
}

/**
 * Decodes encoded words. White space between two is dropped (§6.2), and a character split over two is joined, as many
 * programs split it.
 * @example decodeEncodedWords("=?iso-8859-1?Q?Caf=E9?= 7") // "Café 7"
 */
export function decodeEncodedWords(text: string): string {
  if (!text.includes("=?")) return text;
  let out = "";
  let run: Run | null = null;
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const between = text.slice(end, match.index);
    const [raw, label = "", encoding = "", body = ""] = match;
    const charset = label.toLowerCase();
    const isNext: boolean = run !== null && between.trim() === "";
    const word = { charset, bytes: [decodeBody(body, encoding)], raw };
    if (run !== null && isNext && run.charset === charset) {
      run.bytes.push(...word.bytes);
      run.raw += between + raw;
    } else {
      out += readRun(run) + (isNext ? "" : between);
      run = word;
    }
    end = match.index + raw.length;
  }
  return out + readRun(run) + text.slice(end);
}

/** Turns control characters, line ends and runs of white space into one space. */
export function oneLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

export function canStandBare(line: string): boolean {
  if (!/^[ -~]*$/.test(line) || line.includes("=?")) return false;
  return line.length <= LONGEST_BARE_WORD || line.split(" ").every((word) => word.length <= LONGEST_BARE_WORD);
}

export function encodeWords(text: string): string[] {
  const words: string[] = [];
  let chunk = "";
  let octets = 0;
  for (const character of text.toWellFormed()) {
    const size = Buffer.byteLength(character);
    if (octets + size > CHUNK_OCTETS) {
      words.push(encodeWord(chunk));
      chunk = "";
      octets = 0;
    }
    chunk += character;
    octets += size;
  }
  return chunk === "" ? words : [...words, encodeWord(chunk)];
}

function encodeWord(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
}

/** Decodes the text of an encoded word; an empty buffer for invalid base64, which `readRun` leaves undecoded. */
function decodeBody(body: string, encoding: string): Buffer {
  if (encoding.toLowerCase() === "b") return Buffer.from(BASE64.test(body) ? body : "", "base64");
  const latin = body
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin, "latin1");
}

function readRun(run: Run | null): string {
  if (run === null) return "";
  const bytes = Buffer.concat(run.bytes);
  if (bytes.length === 0) return run.raw;
  const charset = isUndeclaredUtf8(bytes, run.charset) ? "utf-8" : run.charset;
  return decodeCharset(bytes, charset) ?? run.raw;
}

const LABEL = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i;
const ASCII_LABELS: ReadonlySet<string> = new Set(["us-ascii", "ascii", "ansi_x3.4-1968"]);

export function charsetLabel(contentType: string): string | null {
  return LABEL.exec(contentType)?.[1]?.toLowerCase() ?? null;
}

/** Whether bytes are UTF-8 although declared as US-ASCII or as an unknown charset. */
export function isUndeclaredUtf8(bytes: Buffer, label: string): boolean {
  if (isAscii(bytes) || !isUtf8(bytes)) return false;
  return ASCII_LABELS.has(label) || decoderOf(label) === null;
}

export function decodeCharset(bytes: Buffer, label: string): string | null {
  try {
    return decoderOf(label)?.decode(bytes) ?? null;
  } catch {
    return null;
  }
}

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    return null;
  }
}
