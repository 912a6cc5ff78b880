/** A calendar (RFC 5545) of which only lines with addresses are parsed; all others keep every character. */

import { costNs, ParseBudget } from "@kauke/mail-rfc";
import { type CalendarValue, readCalendarLine } from "./calendar-line.ts";
import { addressesOfLine, type CalendarChange, changeLine, fold, type Line } from "./change-line.ts";

/** In `bytes` each character is one byte, of UTF-8 or another ASCII-compatible charset. */
export type CalendarForm = "bytes" | "utf-16";

/** Properties to whose addresses programs send mail. The last two are Thunderbird's and Outlook's. */
const names = ["ORGANIZER", "ATTENDEE", "CALENDAR-ADDRESS", "VOTER", "X-MOZ-INVITED-ATTENDEE", "X-MS-OLK-SENDER"];
/** Maximum address lines of a calendar; further ones are removed. */
export const ADDRESS_LINES_MAX = 1000;
const LINE_MAX = 16_384;
/** Number of consecutive folds from which on a calendar is unreadable. */
const FOLDS_MAX = 64;

// One character that text in bytes form can't contain stands for each kind of fold.
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
const COMMENT = /^((?:DESCRIPTION|COMMENT)(?:;[^:\r\n]{0,300})?:)([ -~\ue000-\ue005]{1,1000})$/gim;
const BREAK = /\r\n|\r|\n/g;

export class CalendarText {
  readonly #parts: readonly (string | Line)[];

  private constructor(parts: readonly (string | Line)[]) {
    this.#parts = parts;
  }

  /** @returns `null` with FOLDS_MAX consecutive folds, or a character that marks folds @throws ParseLimitError */
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

  get hasAddresses(): boolean {
    return this.#parts.some((part) => typeof part !== "string");
  }

  /** Whether the calendar is a reply (RFC 5546 §1.4); one with a further method is not. */
  get isReply(): boolean {
    const methods = this.#parts.flatMap((part) => (typeof part === "string" ? [...part.matchAll(METHOD)] : []));
    return methods.length > 0 && methods.every(([, method]) => method?.toUpperCase() === "REPLY");
  }

  /** Canonical addresses without duplicates, organizers first. */
  addresses(): string[] {
    const lines = this.#parts.flatMap((part) => (typeof part === "string" || part.line === null ? [] : [part.line]));
    const organizers = lines.filter(({ name }) => name.toUpperCase() === "ORGANIZER");
    return [...new Set([...organizers, ...lines].flatMap(addressesOfLine))];
  }

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
