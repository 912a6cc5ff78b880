/**
 * An unstructured header field from what a person typed (RFC 5322 §2.2.3): as it is where ASCII can say it, else in encoded
 * words, folded either way. Controls and line breaks become spaces before anything else happens, so one field comes out.
 */
import { encodeWords } from "./encoded-word.ts";
import { type FieldText, headerField } from "./header-field.ts";

/**
 * The whole field with its CRLF.
 * @param name trusted, e.g. `Subject`
 * @returns e.g. `Subject: hi\r\n`, `Subject: =?utf-8?B?xIU=?=\r\n`
 */
export function formatTextField(name: string, text: string): FieldText {
  const clean = toOneLine(text);
  return headerField(name, isPlain(clean) ? clean.split(" ") : encodeWords(clean));
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
