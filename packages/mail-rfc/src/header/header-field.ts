/**
 * The one place where header fields of ours are written (RFC 5322 §2.2, RFC 6532): every field that leaves with a message, ours or
 * forwarded, is a `FieldText`, and only `headerField` and `headerFieldOfLines` make one. Both refuse what could begin a line: C0 (the
 * only CR, LF and tab in a field are those of its folds), DEL, C1, U+2028, U+2029, and lone surrogates, which have no UTF-8.
 *
 * A `FieldText` becomes bytes by `fieldTextBytes` and in no other way: in Latin-1, U+010D is a CR and U+060A an LF.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

declare const isWritten: unique symbol;

/** One whole field or several, each with its CRLF; or nothing. */
export type FieldText = string & { readonly [isWritten]: true };

export interface FoldStyle {
  /** A line is folded before the word that would pass this column. */
  columns?: number;
  /** What a continuation line begins with. */
  indent?: " " | "\t";
}

export const NO_FIELD = "" as FieldText;

/** RFC 5322 §2.1.1: octets of a line, without its CRLF. */
const LINE_MAX_OCTETS = 998;
/** With the longest name of ours in front. */
const WORD_MAX_OCTETS = 960;
/** UTF-8 takes three octets at most for each UTF-16 unit. */
const OCTETS_PER_UNIT = 3;
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,35}$/;
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const EVERY_UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/gu;

/**
 * Joins words by a space, or by a fold where the next would pass the last column. Empty words are left out.
 * @param name as it shall be written, e.g. `Reply-To`
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
  return checked(name, [...lines, isFirst ? `${line} ` : line]);
}

/**
 * Writes a field whose folds are given: each line after the first is indented by a tab. A line may begin with a space.
 * @throws MailSyntaxError `field_syntax`, `field_line_too_long`
 */
export function headerFieldOfLines(name: string, lines: readonly string[]): FieldText {
  return checked(
    name,
    lines.map((line, index) => (index === 0 ? `${name}: ${line}` : `\t${line}`)),
  );
}

/** The fields as they leave. */
export function fieldTextBytes(...fields: readonly FieldText[]): Buffer {
  return Buffer.from(fields.join(""), "utf8");
}

/** Several fields as one text, in order. */
export function joinFields(fields: readonly FieldText[]): FieldText {
  return fields.join("") as FieldText;
}

/** Whether `headerField` takes this word: holds nothing that is refused, and fits a line whatever the field's name. */
export function canStandInField(word: string): boolean {
  return !UNSAFE.test(word) && Buffer.byteLength(word) <= WORD_MAX_OCTETS;
}

/** For what only informs: everything that is refused becomes "?". */
export function neutralized(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, "?") : text;
}

/** @param lines indented already */
function checked(name: string, lines: readonly string[]): FieldText {
  if (!NAME.test(name)) throw new MailSyntaxError("field_syntax");
  for (const [index, line] of lines.entries()) {
    const text = index > 0 && line.startsWith("\t") ? line.slice(1) : line;
    if (UNSAFE.test(text) || (index > 0 && /^ *$/.test(text))) throw new MailSyntaxError("field_syntax");
    if (line.length * OCTETS_PER_UNIT > LINE_MAX_OCTETS && Buffer.byteLength(line) > LINE_MAX_OCTETS) {
      throw new MailSyntaxError("field_line_too_long");
    }
  }
  return `${lines.join("\r\n")}\r\n` as FieldText;
}
