/**
 * A calendar (RFC 5545) as text in which only property lines with calendar addresses are parsed. All other lines keep
 * every character, including folds. Parsed once, written for any number of recipients; searches natively, one step per
 * line found.
 */

import { costNs, ParseBudget } from "@kauke/mail-rfc";
import {
  type CalendarLine,
  type CalendarParameter,
  type CalendarValue,
  calendarValue,
  formatCalendarLine,
  readCalendarLine,
  writeAddress,
} from "./calendar-line.ts";

/** Rules by which the addresses of a calendar are replaced. */
export interface CalendarChange {
  /** @returns the address that replaces this one; the same address if it is to stay; `null` if it must be removed */
  addressFor(address: string): string | null;
  /** Replaces the display name of a person (CN). @returns the same name if it is to stay */
  nameFor(name: string, address: ChangedAddress): string;
  /** What to do with a value that may contain an unreadable address or one for which `addressFor` returns `null`. */
  unreadable: "remove" | "keep";
  /** Replaces a description or comment of a reply; the same text if it is to stay. Absent: all stay. */
  commentFor?: (text: string) => string;
}

/** Address of one line before and after the change; `null` if the value is not an address. */
export interface ChangedAddress {
  before: string | null;
  after: string | null;
}

/**
 * Form of a decoded calendar: in `bytes`, each character of the text is one byte, of UTF-8 or another ASCII-compatible
 * charset.
 */
export type CalendarForm = "bytes" | "utf-16";

interface Line {
  /** Line as in the text, with marked folds and its line end. */
  raw: string;
  /** The parsed line; `null` when it is unreadable. */
  line: CalendarLine | null;
  charset: "utf-8" | "latin1" | "utf-16";
  lineEnd: string;
}

/** Properties whose value is an address that programs send mail to. The last two are Thunderbird's and Outlook's. */
const names = ["ORGANIZER", "ATTENDEE", "CALENDAR-ADDRESS", "VOTER", "X-MOZ-INVITED-ATTENDEE", "X-MS-OLK-SENDER"];
/** Maximum address lines parsed of one calendar; further ones are removed. */
export const ADDRESS_LINES_MAX = 1000;
/** Maximum UTF-16 units of an unfolded line; a longer one is unreadable. */
const LINE_MAX = 16_384;
/** Maximum octets of a folded line (RFC 5545 §3.1). */
const FOLD_COLUMNS = 75;
/** Number of consecutive folds from which on a calendar is unreadable. */
const FOLDS_MAX = 64;

// Each kind of fold is replaced by one character that text in bytes form cannot contain, so that it can be restored.
const folds = [
  [/\r\n /g, "\u{e000}", "\r\n "],
  [/\r\n\t/g, "\u{e001}", "\r\n\t"],
  [/\n /g, "\u{e002}", "\n "],
  [/\n\t/g, "\u{e003}", "\n\t"],
  [/\r /g, "\u{e004}", "\r "],
  [/\r\t/g, "\u{e005}", "\r\t"],
] as const;
const restored = folds.map(([, mark, fold]) => [new RegExp(mark, "g"), fold] as const);
const MARK = /[\ue000-\ue005]/;
const MARKS = /[\ue000-\ue005]/g;
const TOO_MANY_MARKS = new RegExp(`[\ue000-\ue005]{${FOLDS_MAX}}`);
const spelled = names.map((name) => [...name].join(`[\ue000-\ue005]{0,${FOLDS_MAX}}`)).join("|");
const BLANK = `[\ue000-\ue005 \\t]{0,${FOLDS_MAX}}`;
const LINE_START = new RegExp(`^(?:\ufeff|\xef\xbb\xbf)?${BLANK}(?:${spelled})${BLANK}[;:]`, "gim");
const METHOD = /^METHOD(?:;[^:\r\n]{0,200})?:[ \t]*([A-Z-]{1,40})[ \t]*$/gim;
/** Matches a description or comment in ASCII, with marked folds. */
const COMMENT = /^((?:DESCRIPTION|COMMENT)(?:;[^:\r\n]{0,300})?:)([ -~\ue000-\ue005]{1,1000})$/gim;
const BREAK = /\r\n|\r|\n/g;

export class CalendarText {
  readonly #parts: readonly (string | Line)[];

  private constructor(parts: readonly (string | Line)[]) {
    this.#parts = parts;
  }

  /**
   * Parses the text of a calendar.
   * @returns `null` when it has FOLDS_MAX consecutive folds or contains a character that this parser uses to mark folds
   * @throws ParseLimitError when the budget is exhausted
   */
  static read(text: string, form: CalendarForm, budget = new ParseBudget()): CalendarText | null {
    budget.spend(text.length * costNs.calendarByte);
    if (MARK.test(text)) return null;
    const marked = folds.reduce((rest, [fold, mark]) => rest.replace(fold, mark), text);
    if (TOO_MANY_MARKS.test(marked)) return null;
    const parts: (string | Line)[] = [];
    for (const part of partsOf(marked, form)) {
      if (typeof part !== "string") budget.spend(costOf(part));
      parts.push(part);
    }
    return new CalendarText(parts);
  }

  /** Whether the calendar has a property line that may hold an address, the only kind of line that is ever changed. */
  get hasAddresses(): boolean {
    return this.#parts.some((part) => typeof part !== "string");
  }

  /** Whether the calendar answers an invitation (RFC 5546 §1.4). One with a further method is none. */
  get isReply(): boolean {
    const methods = this.#parts.flatMap((part) => (typeof part === "string" ? [...part.matchAll(METHOD)] : []));
    return methods.length > 0 && methods.every(([, method]) => method?.toUpperCase() === "REPLY");
  }

  /** @returns canonical addresses in the calendar without duplicates, organizers first */
  addresses(): string[] {
    const lines = this.#parts.flatMap((part) => (typeof part === "string" || part.line === null ? [] : [part.line]));
    const organizers = lines.filter(({ name }) => name.toUpperCase() === "ORGANIZER");
    return [...new Set([...organizers, ...lines].flatMap(addressesOfLine))];
  }

  /** @returns the text with replaced addresses; `null` when nothing changes */
  write(change: CalendarChange): string | null {
    let isChanged = false;
    const { commentFor } = change;
    const mayChangeComments = commentFor !== undefined && this.isReply;
    const written = this.#parts.map((part) => {
      if (typeof part === "string") {
        const text = mayChangeComments ? changeComments(part, commentFor) : part;
        isChanged ||= text !== part;
        return text;
      }
      const line = changeLine(part, change);
      if (line === null) return part.raw;
      isChanged = true;
      return line;
    });
    if (!isChanged) return null;
    return restored.reduce((rest, [mark, fold]) => rest.replace(mark, fold), written.join(""));
  }
}

function changeComments(text: string, commentFor: (text: string) => string): string {
  return text.replace(COMMENT, (line, start: string, value: string) => {
    const before = value.replace(MARKS, "");
    const after = commentFor(before);
    return after === before ? line : fold(`${start.replace(MARKS, "")}${after}`, "\r\n", /[\x80-\xbf]/);
  });
}

function* partsOf(text: string, form: CalendarForm): Generator<string | Line> {
  let at = 0;
  let count = 0;
  LINE_START.lastIndex = 0;
  for (let found = LINE_START.exec(text); found !== null; found = LINE_START.exec(text)) {
    BREAK.lastIndex = LINE_START.lastIndex;
    const [lineEnd = ""] = BREAK.exec(text) ?? [];
    const end = lineEnd === "" ? text.length : BREAK.lastIndex;
    if (found.index > at) yield text.slice(at, found.index);
    const raw = text.slice(found.index, end);
    count += 1;
    yield count > ADDRESS_LINES_MAX ? { raw, line: null, charset: "latin1", lineEnd } : readLine(raw, lineEnd, form);
    at = end;
    LINE_START.lastIndex = end;
  }
  if (at < text.length) yield text.slice(at);
}

/** @returns the maximum cost in nanoseconds of parsing the line */
function costOf({ line }: Line): number {
  const values = line === null ? [] : [line.value, ...line.parameters.flatMap((parameter) => parameter.values)];
  return values.reduce<number>((sum, value) => sum + costOfValue(value), costNs.calendarLine);
}

function costOfValue({ text, hasAtSign }: CalendarValue): number {
  if (!hasAtSign) return costNs.calendarValue;
  return costNs.calendarAddress + text.length * costNs.calendarAddressCharacter;
}

function readLine(raw: string, lineEnd: string, form: CalendarForm): Line {
  const unfolded = raw.slice(0, raw.length - lineEnd.length).replace(MARKS, "");
  const utf8 = form === "bytes" ? Buffer.from(unfolded, "latin1").toString("utf8") : null;
  const charset = utf8 === null ? "utf-16" : utf8.includes("\u{fffd}") ? "latin1" : "utf-8";
  const text = charset === "utf-8" && utf8 !== null ? utf8 : unfolded;
  return { raw, line: unfolded.length > LINE_MAX ? null : readCalendarLine(text), charset, lineEnd };
}

function addressesOfLine({ parameters, value }: CalendarLine): string[] {
  const values = [value, ...parameters.filter(isNotDisplayName).flatMap((parameter) => parameter.values)];
  return values.flatMap(({ address }) => address ?? []);
}

const isNotDisplayName = ({ name }: CalendarParameter) => name.trim().toUpperCase() !== "CN";

/**
 * Replaces the addresses of one property line.
 * @returns the folded line with its line end, empty when it is removed; `null` when it is not changed
 */
function changeLine({ line, charset, lineEnd }: Line, change: CalendarChange): string | null {
  if (line === null) return change.unreadable === "remove" ? "" : null;
  const value = changeValue(line.value, change);
  if (value === null) return "";
  const address = { before: line.value.address, after: value.address };
  const parameters = line.parameters.flatMap((parameter) =>
    isNotDisplayName(parameter) ? changeParameter(parameter, change) : changeName(parameter, address, change),
  );
  const changed = { ...line, parameters, value };
  const text = formatCalendarLine(changed);
  if (text === formatCalendarLine(line)) return null;
  if (change.unreadable === "remove" && hasOther(text, addressesOfLine(changed))) return "";
  const characters = charset === "utf-8" ? Buffer.from(text).toString("latin1") : text;
  const isWithin = charset === "utf-8" ? /[\x80-\xbf]/ : /[\udc00-\udfff]/;
  return `${fold(characters, lineEnd === "" ? "\r\n" : lineEnd, isWithin)}${lineEnd}`;
}

/**
 * Replaces the address in a property or parameter value.
 * @returns the new value; `null` when the value must be removed
 */
function changeValue(value: CalendarValue, { addressFor, unreadable }: CalendarChange): CalendarValue | null {
  if (!value.hasAtSign) return value;
  const instead = value.address === null ? null : addressFor(value.address);
  if (instead === null) return unreadable === "keep" ? value : null;
  if (instead === value.address && isExactly(value)) return value;
  return { ...calendarValue(writeAddress(value, instead), value.isQuoted), address: instead };
}

/** Whether the text is exactly the address, so that no program can read another one in it. */
function isExactly({ text, address }: CalendarValue): boolean {
  return (
    text
      .trim()
      .replace(/^mailto:/i, "")
      .toLowerCase() === address?.toLowerCase()
  );
}

function changeParameter(parameter: CalendarParameter, change: CalendarChange): CalendarParameter[] {
  const values = parameter.values.flatMap((value) => {
    const changed = changeValue(value, change);
    if (changed === null) return [];
    return changed === value ? [value] : withQuotes(changed);
  });
  return values.length === 0 && parameter.values.length > 0 ? [] : [{ ...parameter, values }];
}

/** Adds quotes to a parameter value where necessary; one that cannot be quoted is left out (RFC 5545 §3.1). */
function withQuotes(value: CalendarValue): CalendarValue[] {
  if (/["\p{Cc}]/u.test(value.text)) return [];
  return [/[;:,]/.test(value.text) && !/^mailto:[^;:,]*$/i.test(value.text) ? { ...value, isQuoted: true } : value];
}

function changeName(
  parameter: CalendarParameter,
  address: ChangedAddress,
  change: CalendarChange,
): CalendarParameter[] {
  const [first] = parameter.values;
  if (first === undefined) return [parameter];
  // An unquoted name that contains a comma was parsed as several values.
  const text = parameter.values.map((value) => value.text).join(",");
  const name = change.nameFor(text, address);
  if (name === text) return [parameter];
  const values = withQuotes({ text: name, isQuoted: first.isQuoted, address: null, hasAtSign: false });
  return values.length === 0 ? [] : [{ ...parameter, values }];
}

/** Whether a text contains, besides the given addresses, anything that another program could take for an address. */
function hasOther(text: string, addresses: readonly string[]): boolean {
  const known = new Set(addresses.map((address) => address.toLowerCase()));
  const rest = [...known].reduce((left, address) => left.replaceAll(address, ""), text.toLowerCase());
  return /@|%40/.test(rest);
}

/**
 * Folds a line; continuation lines begin with one space. @param isWithin matches a unit that continues a character,
 * before which there must be no fold
 */
function fold(text: string, lineEnd: string, isWithin: RegExp): string {
  const lines: string[] = [];
  let start = 0;
  for (let room = FOLD_COLUMNS; text.length - start > room; room = FOLD_COLUMNS - 1) {
    let end = start + room;
    for (let back = 0; back < 3 && isWithin.test(text[end] ?? ""); back += 1) end -= 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return [...lines, text.slice(start)].join(`${lineEnd} `);
}
