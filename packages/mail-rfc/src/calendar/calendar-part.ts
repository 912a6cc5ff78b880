/**
 * The body of a calendar part (RFC 6047): decoded by its transfer encoding and charset, and written back in the same ones. What
 * isn't told by these two exactly is `null`: then nobody can say what another program would read in it.
 */

import { costNs, type ParseBudget } from "../body/parse-budget.ts";
import { decodeQuotedPrintable, toBase64Lines, toQuotedPrintableLines } from "../body/transfer-encoding.ts";
import { CalendarText } from "./calendar-text.ts";

export interface CalendarPartSource {
  /** Plain form (not dot-stuffed). */
  body: Buffer;
  /** Content-Transfer-Encoding, lower case; empty when there is none. */
  encoding: string;
  /** Lower case; `null` when none is named. */
  charset: string | null;
  budget: ParseBudget;
}

export interface CalendarPart {
  calendar: CalendarText;
  /** Whether other programs could decode the body to another text: it is to be written in any case. */
  isAmbiguous: boolean;
  /** @param text what `calendar` wrote; `null` to write it as it was read */
  encode(text: string | null): Buffer;
}

interface Decoded {
  bytes: Buffer;
  isAmbiguous: boolean;
}

const SOFT_BREAK = Buffer.from("=\r\n");

type Charset = "bytes" | "utf16le" | "utf16be";

const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);
/** In all of them an ASCII character is its byte. */
const HOLDS_ASCII =
  /^(?:us-ascii|ascii|ansi_x3\.4-1968|utf-?8|unicode-1-1-utf-8|iso[-_]?8859-?\d{1,2}(?:-[ei])?|latin-?\d|windows-?\d{3,4}|cp-?125\d|koi8-[a-z]{1,2}|gb2312|gbk|gb18030|big5(?:-hkscs)?|shift[-_]jis|sjis|windows-31j|euc-(?:jp|kr|tw|cn)|ks_c_5601-1987|iso-2022-(?:jp|kr)|tis-620|macintosh|mac-?\w*)$/;
const UTF_16 = /^(?:utf-?16(?:le|be)?|ucs-?2|iso-10646-ucs-2|unicode)$/;

/**
 * @returns `null` for an encoding or charset that isn't known, or text that is not in it
 * @throws ParseLimitError
 */
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

/**
 * Whether a program that leaves out controls when it decodes (escape sequences, shifts, NULs) finds a name in it that we don't: `ORG`,
 * `ESC ( B`, `ANIZER` is one in ISO-2022-JP.
 */
function hidesNames(bytes: Buffer, text: string): boolean {
  const whole = bytes.toString("latin1");
  const bare = withoutControls(whole);
  if (bare.length === whole.length) return false;
  // An escape sequence may lie within a fold, and a fold within an escape sequence.
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

/** Programs differ in what they make of padding in the middle and of foreign characters. */
function isStrictBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/);
  return end < 0 || (text.length - end < 100 && /^={1,2}\s*$/.test(text.slice(end)));
}

/** Ends in CRLF where it did before: the end of a body is the end of the message. */
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
  // A program that takes the bytes for ASCII must find nothing either.
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
