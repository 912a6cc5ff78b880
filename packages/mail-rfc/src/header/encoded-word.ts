/**
 * Encoded words (RFC 2047): decoded from every charset the platform knows, encoded in UTF-8 only. An unreadable word is
 * left as it is; UTF-8 under a wrong label is read. Decoded text may contain any character, so it must be cleaned before it is written into a header.
 */
import { decodeCharset, isUndeclaredUtf8 } from "./declared-charset.ts";

// Matches an encoded word: charset, optional language (RFC 2231 §5), encoding, text.
const WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?\s]*)\?=/gi;
/** Matches words of printable ASCII with one space between them. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/**
 * Octets per encoded word: 39 octets become 52 characters, 64 with delimiters, of 75 allowed (§2), so that a word fits
 * after a field name.
 */
const CHUNK_OCTETS = 39;
/** Characters above which even a plain ASCII word is encoded, because only encoded words can be split over lines. */
const LONGEST_BARE_WORD = 60;

interface Run {
  charset: string;
  bytes: Buffer[];
  raw: string;
}

/**
 * Decodes the encoded words in a text. White space between two of them is dropped (§6.2), and a character split over
 * two words of the same charset is joined, since many programs wrongly split characters.
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

/** Puts a text on one line: control characters, line ends and runs of white space become one space. */
export function oneLine(text: string): string {
  if (PLAIN_LINE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** Whether every word of a line may be written into a header without encoding. */
export function canStandBare(line: string): boolean {
  if (!/^[ -~]*$/.test(line) || line.includes("=?")) return false;
  return line.length <= LONGEST_BARE_WORD || line.split(" ").every((word) => word.length <= LONGEST_BARE_WORD);
}

/**
 * Encodes a text as encoded words of at most 75 characters each, to be joined by a space or a fold.
 * @example encodeWords("Café") // ["=?utf-8?B?Q2Fmw6k=?="]
 */
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

/**
 * Decodes the text of an encoded word to bytes of its charset.
 * @returns an empty buffer for invalid base64; `readRun` then leaves the word undecoded
 */
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
