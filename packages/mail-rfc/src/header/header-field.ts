/**
 * The only module that writes header fields (RFC 5322 §2.2, RFC 6532). A `FieldText` contains no character that could
 * begin a line: C0 and C1 controls, DEL, U+2028, U+2029; and no lone surrogate. Only `fieldTextBytes` and `bytesAsText`
 * may convert it to bytes: in Latin-1, U+010D becomes a CR.
 */
import { BARE_BREAK, cleanField } from "../address/address-header.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { encodeWords } from "./encoded-word.ts";
import type { HeaderField } from "./headers.ts";

declare const isWritten: unique symbol;

export type FieldText = string & { readonly [isWritten]: true };

interface FoldStyle {
  columns?: number;
  /** White space at the start of a continuation line. */
  indent?: " " | "\t";
}

export const NO_FIELD = "" as FieldText;

/** Octets of a line without its CRLF (RFC 5322 §2.1.1). */
const LINE_MAX_OCTETS = 998;
const WORD_MAX_OCTETS = 960;
const OCTETS_PER_UNIT = 3;
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,35}$/;
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const EVERY_UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029]/gu;
const NON_ASCII = /[^\0-\x7f]/;
/** Matches a line of printable ASCII that is not blank, as nearly all are. */
const PLAIN_LINE = /^\t?[ -~]*[!-~][ -~]*$/;

/** Joins words by spaces or folds. @throws MailSyntaxError `field_syntax`, `field_line_too_long` */
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

/** Like `headerField`, from words with one space between them. */
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

/** Lines after the first are indented by a tab. @throws MailSyntaxError `field_syntax`, `field_line_too_long` */
export function headerFieldOfLines(name: string, lines: readonly string[]): FieldText {
  return checked(
    name,
    lines.map((line, index) => (index === 0 ? `${name}: ${line}` : `\t${line}`)),
  );
}

export function fieldTextBytes(...fields: readonly FieldText[]): Buffer {
  return Buffer.from(fields.join(""), "utf8");
}

export function bytesAsText(field: FieldText): string {
  return NON_ASCII.test(field) ? fieldTextBytes(field).toString("latin1") : field;
}

export function fieldNameOf(field: FieldText): string {
  return field.slice(0, field.indexOf(":")).toLowerCase();
}

export function joinFields(fields: readonly FieldText[]): FieldText {
  return fields.join("") as FieldText;
}

export function canStandInField(word: string): boolean {
  return !UNSAFE.test(word) && Buffer.byteLength(word) <= WORD_MAX_OCTETS;
}

export function neutralized(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, "?") : text;
}

/** @throws MailSyntaxError `field_syntax`, `field_line_too_long` */
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

/** A text of any kind as a whole field, e.g. `Subject: hi\r\n` or `Subject: =?utf-8?B?xIU=?=\r\n`. */
export function formatTextField(name: string, text: string): FieldText {
  const clean = toOneLine(text);
  return headerField(name, isPlain(clean) ? clean.split(" ") : encodeWords(clean));
}

function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u{2028}\u{2029}]+/gu, " ")
    .trim();
}

function isPlain(text: string): boolean {
  return /^(?:[!-~]{1,60}(?: [!-~]{1,60})*)?$/.test(text) && !text.includes("=?");
}

export interface WrittenHeader {
  header: Buffer;
  fields: readonly HeaderField[];
}

const NO_BYTES = Buffer.alloc(0);

export class HeaderWriter {
  #text = "";
  readonly #fields: HeaderField[] = [];
  readonly #received: string;
  /** A header without bare line breaks needs no cleaning. */
  readonly #isClean: boolean;
  #run = { start: 0, end: 0 };

  constructor(received: Buffer = NO_BYTES) {
    this.#received = received.toString("latin1");
    this.#isClean = this.#received.endsWith("\r\n") && !BARE_BREAK.test(this.#received);
  }

  keep({ name, start, end }: HeaderField): void {
    if (!this.#isClean) return this.#add(name, cleanField(this.#received.slice(start, end)));
    if (this.#run.end !== start) {
      this.#endRun();
      this.#run.start = start;
    }
    this.#run.end = end;
    this.#note(name, end - start);
  }

  write(name: string, text: FieldText): void {
    if (text === "") return;
    this.#endRun();
    this.#add(name, bytesAsText(text));
  }

  /** Joins the fields of two writers; the other must not be used any more. */
  followedBy(other: HeaderWriter): WrittenHeader {
    this.#endRun();
    other.#endRun();
    const offset = this.#text.length;
    for (const field of other.#fields) {
      field.start += offset;
      field.end += offset;
    }
    return { header: Buffer.from(this.#text + other.#text, "latin1"), fields: [...this.#fields, ...other.#fields] };
  }

  #add(name: string, text: string): void {
    this.#note(name, text.length);
    this.#text += text;
  }

  #note(name: string, length: number): void {
    const start = this.#fields.at(-1)?.end ?? 0;
    this.#fields.push({ name, start, end: start + length });
  }

  #endRun(): void {
    this.#text += this.#received.slice(this.#run.start, this.#run.end);
    this.#run = { start: 0, end: 0 };
  }
}
