/**
 * The only module that writes header fields (RFC 5322 §2.2, RFC 6532): every field we write, in our own or forwarded
 * messages, is a `FieldText`, and only `headerField` and `headerFieldOfLines` create one. Both refuse characters that
 * could begin a line: C0 controls (CR, LF and tab occur only in folds), DEL, C1 controls, U+2028, U+2029; and lone
 * surrogates, which have no UTF-8 form.
 *
 * Only `fieldTextBytes` and `bytesAsText` may convert a `FieldText` to bytes: in Latin-1, U+010D becomes a CR and U+060A
 * an LF.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

declare const isWritten: unique symbol;

/** One or several whole fields, each with its CRLF; or the empty text. */
export type FieldText = string & { readonly [isWritten]: true };

export interface FoldStyle {
  /** Column after which a line is folded, before the word that would exceed it. */
  columns?: number;
  /** White space at the start of a continuation line. */
  indent?: " " | "\t";
}

export const NO_FIELD = "" as FieldText;

/** Maximum octets of a line without its CRLF (RFC 5322 §2.1.1). */
const LINE_MAX_OCTETS = 998;
/** Maximum octets of a word that fits into a line after the longest field name. */
const WORD_MAX_OCTETS = 960;
/** Maximum octets per UTF-16 unit in UTF-8. */
const OCTETS_PER_UNIT = 3;
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,35}$/;
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const EVERY_UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/gu;
const NON_ASCII = /[^\0-\x7f]/;
/** Matches a line of printable ASCII that is not blank, as nearly all are. */
const PLAIN_LINE = /^\t?[ -~]*[!-~][ -~]*$/;

/**
 * Joins words by a space, or by a fold where the next word would exceed the last column. Empty words are skipped.
 * @param name spelled as it is to be written, e.g. `Reply-To`
 * @throws MailSyntaxError `field_syntax`, `field_line_too_long`
 */
export function headerField(
  name: string,
  words: readonly string[],
  { columns = 76, indent = " " }: FoldStyle = {},
): FieldText {
  const lines: string[] = [];
  let line = `${name}:`;
  let isFirst = true;
  for (const word of words) {
    if (word === "") continue;
    if (isFirst || line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
    isFirst = false;
  }
  lines.push(isFirst ? `${line} ` : line);
  return checked(name, lines);
}

/**
 * Writes a text as `headerField` writes its words.
 * @param text words with one space between them
 * @throws MailSyntaxError `field_syntax`, `field_line_too_long`
 */
export function foldedField(name: string, text: string, { columns = 76, indent = " " }: FoldStyle = {}): FieldText {
  const lines: string[] = [];
  let line = `${name}: `;
  let at = 0;
  while (line.length + text.length - at > columns) {
    const last = at + columns - line.length;
    // A first word that is too long for its line is not split.
    const space = text.lastIndexOf(" ", last);
    const end = space > at ? space : text.indexOf(" ", at);
    if (end < 0) break;
    lines.push(line + text.slice(at, end));
    line = indent;
    at = end + 1;
  }
  lines.push(line + text.slice(at));
  return checked(name, lines);
}

/**
 * Writes a field with given lines: each line after the first is indented by a tab. A line may begin with a space.
 * @throws MailSyntaxError `field_syntax`, `field_line_too_long`
 */
export function headerFieldOfLines(name: string, lines: readonly string[]): FieldText {
  return checked(
    name,
    lines.map((line, index) => (index === 0 ? `${name}: ${line}` : `\t${line}`)),
  );
}

/** Encodes fields as the bytes to be sent. */
export function fieldTextBytes(...fields: readonly FieldText[]): Buffer {
  return Buffer.from(fields.join(""), "utf8");
}

/** Encodes fields as a text with one character for each byte to be sent, the form in which received fields are read. */
export function bytesAsText(field: FieldText): string {
  return NON_ASCII.test(field) ? fieldTextBytes(field).toString("latin1") : field;
}

/** @returns the name of a field in lower case @param field one field, not several */
export function nameOf(field: FieldText): string {
  return field.slice(0, field.indexOf(":")).toLowerCase();
}

/** Concatenates several fields in order. */
export function joinFields(fields: readonly FieldText[]): FieldText {
  return fields.join("") as FieldText;
}

/** Whether `headerField` accepts a word: it contains no refused character and fits into a line after any field name. */
export function canStandInField(word: string): boolean {
  return !UNSAFE.test(word) && Buffer.byteLength(word) <= WORD_MAX_OCTETS;
}

/** Replaces every refused character by "?"; for text that is informational only. */
export function neutralized(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, "?") : text;
}

/**
 * Checks the lines of one field and joins them.
 * @param lines continuation lines already indented by a tab
 * @throws MailSyntaxError `field_syntax`, `field_line_too_long`
 */
function checked(name: string, lines: readonly string[]): FieldText {
  if (!NAME.test(name)) throw new MailSyntaxError("field_syntax");
  let isFirst = true;
  for (const line of lines) {
    if (line.length > LINE_MAX_OCTETS || !PLAIN_LINE.test(line)) checkLine(line, isFirst);
    isFirst = false;
  }
  return `${lines.join("\r\n")}\r\n` as FieldText;
}

function checkLine(line: string, isFirst: boolean): void {
  const text = !isFirst && line.startsWith("\t") ? line.slice(1) : line;
  if (UNSAFE.test(text) || (!isFirst && /^ *$/.test(text))) throw new MailSyntaxError("field_syntax");
  if (line.length * OCTETS_PER_UNIT > LINE_MAX_OCTETS && Buffer.byteLength(line) > LINE_MAX_OCTETS) {
    throw new MailSyntaxError("field_line_too_long");
  }
}
