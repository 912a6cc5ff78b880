/**
 * An unstructured header field from what a person typed (RFC 5322 §2.2.3): as it is where ASCII can say it, else in encoded
 * words, folded either way. Controls and line breaks become spaces before anything else happens, so one field comes out.
 */
import { encodeWords } from "./encoded-word.ts";

/** RFC 2047 §2: a line with an encoded word is no longer. */
const COLUMNS = 76;

/**
 * The whole field with its CRLF.
 * @param name trusted, e.g. `Subject`
 * @returns e.g. `Subject: hi\r\n`, `Subject: =?utf-8?B?xIU=?=\r\n`
 */
export function formatTextField(name: string, text: string): string {
  const clean = toOneLine(text);
  const words = isPlain(clean) ? clean.split(" ") : encodeWords(clean);
  let column = name.length + 1;
  const folded = words.map((word) => {
    const fits = column + 1 + word.length <= COLUMNS;
    column = fits ? column + 1 + word.length : 1 + word.length;
    return `${fits ? "" : "\r\n"} ${word}`;
  });
  return `${name}:${folded.join("")}\r\n`;
}

/** Controls, line and paragraph separators and lone surrogates are no text; runs of them read as one space. */
function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u{2028}\u{2029}]+/gu, " ")
    .trim();
}

/** Printable ASCII that no reader takes for an encoded word, with words short enough to fold between them. */
function isPlain(text: string): boolean {
  return /^(?:[!-~]{1,60}(?: [!-~]{1,60})*)?$/.test(text) && !text.includes("=?");
}
