/** Decodes and encodes a calendar part (RFC 6047); `null` if another program could read a different text. */

import {
  costNs,
  decodeQuotedPrintable,
  type ParseBudget,
  toBase64Lines,
  toQuotedPrintableLines,
} from "@kauke/mail-rfc";
import { CalendarText } from "./calendar-text.ts";

export interface CalendarPartSource {
  body: Buffer;
  encoding: string;
  charset: string | null;
  budget: ParseBudget;
}

export interface CalendarPart {
  calendar: CalendarText;
  /** Whether programs could read the part differently; then the body must be rewritten even if nothing changes. */
  isAmbiguous: boolean;
  encode(text: string | null): Buffer;
}

interface Decoded {
  bytes: Buffer;
  isAmbiguous: boolean;
}

const SOFT_BREAK = Buffer.from("=\r\n");

type Charset = "bytes" | "utf16le" | "utf16be";

const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);
/** Charsets in which every ASCII character is the single byte with its code. */
const HOLDS_ASCII =
  /^(?:us-ascii|ascii|ansi_x3\.4-1968|utf-?8|unicode-1-1-utf-8|iso[-_]?8859-?\d{1,2}(?:-[ei])?|latin-?\d|windows-?\d{3,4}|cp-?125\d|koi8-[a-z]{1,2}|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|windows-31j|euc-(?:jp|kr|tw|cn)|ks_c_5601-1987|iso-2022-(?:jp|kr)|tis-620|macintosh|mac-?\w*)$/;
const UTF_16 = /^(?:utf-?16(?:le|be)?|ucs-?2|iso-10646-ucs-2|unicode)$/;

/** @throws ParseLimitError */
export function readCalendarPart({ body, encoding, charset, budget }: CalendarPartSource): CalendarPart | null {
  const decoded = decode(body, encoding);
  const form = decoded === null ? null : charsetOf(decoded.bytes, charset);
  if (decoded === null || form === null) return null;
  const text = textOf(decoded.bytes, form);
  budget.spend(decoded.bytes.length * costNs.calendarByte);
  if (hidesNames(decoded.bytes, text)) return null;
  const calendar = CalendarText.read(text, form === "bytes" ? "bytes" : "utf-16", budget);
  if (calendar === null) return null;
  const { isAmbiguous } = decoded;
  return { calendar, isAmbiguous, encode: (written) => encode(bytesOf(written ?? text, form), encoding, body) };
}

/** Escape sequences of ISO 2022, e.g. `ESC ( B`. */
const ESCAPES = new RegExp("\u001b[ -/]{1,4}[0-~]", "g");
const CONTROLS = /(?![\t\r\n])\p{Cc}/gu;
const FOLDS = /(?:\r\n|\r|\n)[ \t]/g;
const ADDRESS_NAME = /organizer|attendee|calendar-address|voter|x-ms-olk-sender/gi;

/** A program that drops control characters may find a property name: `ORG`, `ESC ( B`, `ANIZER` in ISO-2022-JP. */
function hidesNames(bytes: Buffer, text: string): boolean {
  const whole = bytes.toString("latin1");
  const bare = withoutControls(whole);
  if (bare.length === whole.length) return false;
  // An escape sequence may be inside a fold, and a fold inside an escape sequence.
  const found = Math.max(countNames(bare), countNames(withoutControls(whole.replace(FOLDS, ""))));
  return found > countNames(text);
}

const withoutControls = (text: string) => text.replace(ESCAPES, "").replace(CONTROLS, "");

const countNames = (text: string) => text.replace(FOLDS, "").match(ADDRESS_NAME)?.length ?? 0;

function decode(body: Buffer, encoding: string): Decoded | null {
  if (identities.has(encoding)) return { bytes: body, isAmbiguous: false };
  if (encoding !== "base64" && encoding !== "quoted-printable") return null;
  const text = body.toString("latin1");
  if (encoding === "base64") return { bytes: Buffer.from(text, "base64"), isAmbiguous: !isStrictBase64(text) };
  const isAmbiguous = /=(?![0-9a-f]{2}|\r\n)/i.test(text);
  return { bytes: Buffer.from(decodeQuotedPrintable(text), "latin1"), isAmbiguous };
}

/** Programs differ about padding in the middle and invalid characters. */
function isStrictBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/);
  return end < 0 || (text.length - end < 100 && /^={1,2}\s*$/.test(text.slice(end)));
}

/** Lines end in CRLF if the old body did, since its end may be that of the message. */
function encode(bytes: Buffer, encoding: string, before: Buffer): Buffer {
  if (identities.has(encoding)) return bytes;
  if (encoding === "base64") return isEnded(before) ? toBase64Lines(bytes) : toBase64Lines(bytes).subarray(0, -2);
  const lines = toQuotedPrintableLines(bytes);
  return isEnded(before) && !isEnded(lines) ? Buffer.concat([lines, SOFT_BREAK]) : lines;
}

const isEnded = (body: Buffer) => body.subarray(-2).toString("latin1") === "\r\n";

function charsetOf(bytes: Buffer, charset: string | null): Charset | null {
  const mark = bytes.toString("hex", 0, 2);
  const isMarked = mark === "fffe" || mark === "feff";
  const isNamed = charset !== null && UTF_16.test(charset);
  if (!bytes.includes(0)) {
    if (isMarked || isNamed) return null;
    return charset === null || charset === "" || HOLDS_ASCII.test(charset) ? "bytes" : null;
  }
  if (bytes.length % 2 !== 0 || (charset !== null && !isMarked && !isNamed)) return null;
  // A program that reads UTF-16 as ASCII would find a property name.
  if (/organizer|attendee/i.test(bytes.toString("latin1"))) return null;
  if (isMarked) return mark === "fffe" ? "utf16le" : "utf16be";
  return bytes[0] === 0 ? "utf16be" : "utf16le";
}

function textOf(bytes: Buffer, form: Charset): string {
  if (form === "bytes") return bytes.toString("latin1");
  return (form === "utf16le" ? bytes : Buffer.from(bytes).swap16()).toString("utf16le");
}

function bytesOf(text: string, form: Charset): Buffer {
  if (form === "bytes") return Buffer.from(text, "latin1");
  const bytes = Buffer.from(text, "utf16le");
  return form === "utf16le" ? bytes : bytes.swap16();
}
