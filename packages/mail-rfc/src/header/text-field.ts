/**
 * Formats an unstructured header field from typed text (RFC 5322 §2.2.3): unchanged if it is plain ASCII, otherwise as
 * encoded words; folded in both cases. Control characters and line breaks are first replaced by spaces, so that the
 * result is one field.
 */
import { encodeWords } from "./encoded-word.ts";
import { type FieldText, headerField } from "./header-field.ts";

/**
 * Formats the whole field with its CRLF.
 * @param name trusted field name, e.g. `Subject`
 * @returns e.g. `Subject: hi\r\n`, `Subject: =?utf-8?B?xIU=?=\r\n`
 */
export function formatTextField(name: string, text: string): FieldText {
  const clean = toOneLine(text);
  return headerField(name, isPlain(clean) ? clean.split(" ") : encodeWords(clean));
}

/** Replaces runs of control characters, line and paragraph separators and lone surrogates by one space. */
function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u{2028}\u{2029}]+/gu, " ")
    .trim();
}

/**
 * Whether a text is printable ASCII, cannot be taken for an encoded word, and has words short enough to fold between.
 */
function isPlain(text: string): boolean {
  return /^(?:[!-~]{1,60}(?: [!-~]{1,60})*)?$/.test(text) && !text.includes("=?");
}
