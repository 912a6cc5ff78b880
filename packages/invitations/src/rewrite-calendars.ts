/**
 * Replaces addresses in the calendars of a message: the parts to change are found once, and the new body is written for
 * each recipient. Everything around the changed values stays byte for byte, except header fields that measure a part.
 */

import { ParseBudget, ParseLimitError } from "@kauke/mail-rfc";
import { type CalendarPart, readCalendarPart } from "./calendar-part.ts";
import type { CalendarChange } from "./calendar-text.ts";
import { type FoundPart, findCalendars, type MessageFields, mayHoldCalendar } from "./find-calendars.ts";

export interface CalendarEdit {
  found: FoundPart;
  part: CalendarPart;
}

/** What to do with the calendars of a message. `hide`: some cannot be changed, for the given `reason`. */
export type CalendarPlan =
  | { kind: "keep" }
  | { kind: "hide"; reason: "signed" | "unreadable" }
  | { kind: "edit"; edits: CalendarEdit[]; addresses: string[] };

/**
 * Maximum encoded bytes of all calendar parts of a message, which are parsed in one turn of the event loop. An
 * invitation is some hundred times smaller.
 */
export const CALENDAR_BYTES_MAX = 1_048_576;
/**
 * Maximum addresses read of all calendars; higher than the number of reply addresses, since some may be spellings of
 * the alias.
 */
const ADDRESSES_MAX = 1000;
/** Matches header fields that measure a part's content (RFC 1864; the other two are not standardized). */
const MEASURES = /^(?:content-md5|content-length|lines)[ \t]*:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/gim;

const KEEP_CALENDARS: CalendarPlan = { kind: "keep" };

/**
 * Decides what to do with the calendars of a message.
 * @param readBody returns the body in plain form (not dot-stuffed); called only if the message could hold a calendar
 */
export function planCalendars(message: MessageFields, readBody: () => Buffer): CalendarPlan {
  if (!mayHoldCalendar(message)) return KEEP_CALENDARS;
  const body = readBody();
  const budget = new ParseBudget();
  const { parts, hidden } = findCalendars({ message, body, budget });
  if (hidden !== null) return { kind: "hide", reason: hidden };
  const calendars = parts.filter(({ kind }) => kind === "calendar");
  if (calendars.length === 0) return KEEP_CALENDARS;
  const edits = readEdits(calendars, { body, budget });
  if (edits === null) return { kind: "hide", reason: "unreadable" };
  return edits.length === 0 ? KEEP_CALENDARS : { kind: "edit", edits, addresses: calendarAddresses(edits) };
}

/** Body in which calendar parts are read, and the budget for that. */
export interface EditSource {
  body: Buffer;
  budget: ParseBudget;
}

/**
 * Parses the calendar parts of a message.
 * @returns the parts that may change; `null` when one of them cannot be read or they are too large together
 */
function readEdits(calendars: readonly FoundPart[], source: EditSource): CalendarEdit[] | null {
  if (calendars.reduce((sum, { start, end }) => sum + end - start, 0) > CALENDAR_BYTES_MAX) return null;
  const edits: CalendarEdit[] = [];
  for (const found of calendars) {
    const edit = readEdit(found, source);
    if (edit === null) return null;
    if (edit.part.isAmbiguous || edit.part.calendar.hasAddresses) edits.push(edit);
  }
  return edits;
}

/** Parses one calendar part. @returns `null` when the calendar cannot be read or the budget is exhausted */
export function readEdit(found: FoundPart, { body, budget }: EditSource): CalendarEdit | null {
  try {
    const part = readCalendarPart({ ...found, body: body.subarray(found.start, found.end), budget });
    return part === null ? null : { found, part };
  } catch (thrown) {
    if (thrown instanceof ParseLimitError) return null;
    throw thrown;
  }
}

/**
 * @returns canonical addresses of all calendars, up to the maximum, without duplicates; within a calendar the
 * organizers first
 */
export function calendarAddresses(edits: readonly CalendarEdit[]): string[] {
  return [...new Set(edits.flatMap(({ part }) => part.calendar.addresses()))].slice(0, ADDRESSES_MAX);
}

export interface WrittenBody {
  /** Chunks of the new body, in order. Most are views of the old body, so that they take no memory of their own. */
  pieces: Buffer[];
  /** Total bytes of the chunks that are not views of the old body. */
  newBytes: number;
}

/**
 * Builds the body with the addresses of its calendars replaced.
 * @param body the body in which the calendars were found
 */
export function writeCalendars(edits: readonly CalendarEdit[], body: Buffer, change: CalendarChange): WrittenBody {
  const replacements = edits.flatMap(({ found, part }): Replacement[] => {
    const text = part.calendar.write(change);
    return text === null && !part.isAmbiguous ? [] : [{ ...found, bytes: part.encode(text) }];
  });
  const newBytes = replacements.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { pieces: replaceParts(body, replacements), newBytes };
}

export interface Replacement extends Pick<FoundPart, "headerStart" | "headerEnd" | "start" | "end"> {
  bytes: Buffer;
}

/**
 * Replaces the content of parts in a body and removes header fields that measure the old content.
 * @param replacements in the order of the body
 */
export function replaceParts(body: Buffer, replacements: readonly Replacement[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { headerStart, headerEnd, start, end, bytes } of replacements) {
    const header = body.subarray(headerStart, headerEnd);
    pieces.push(body.subarray(at, headerStart), withoutMeasures(header), body.subarray(headerEnd, start), bytes);
    at = end;
  }
  return [...pieces, body.subarray(at)].filter((piece) => piece.length > 0);
}

/** Removes fields that describe the old body, such as Content-Length and Content-MD5, from a header block. */
export function withoutMeasures(header: Buffer): Buffer {
  const text = header.toString("latin1");
  const kept = text.replace(MEASURES, "");
  return kept === text ? header : Buffer.from(kept, "latin1");
}
