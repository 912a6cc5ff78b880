/**
 * The calendars of a message with other addresses: which parts change is found once, the new body is written for each recipient.
 * What lies around the changed values stays byte for byte.
 */

import { ParseBudget, ParseLimitError } from "../body/parse-budget.ts";
import { type CalendarPart, readCalendarPart } from "./calendar-part.ts";
import type { CalendarChange } from "./calendar-text.ts";
import { type FoundPart, findCalendars, type MessageFields, mayHoldCalendar } from "./find-calendars.ts";

export interface CalendarEdit {
  found: FoundPart;
  part: CalendarPart;
}

/** `hide`: there are calendars that can't be changed; `reason` says why. */
export type CalendarPlan =
  | { kind: "keep" }
  | { kind: "hide"; reason: "signed" | "unreadable" }
  | { kind: "edit"; edits: CalendarEdit[]; addresses: string[] };

/** Of all calendar parts of a message, as they travel: some hundred times an invitation, and read at once. */
export const CALENDAR_BYTES_MAX = 1_048_576;
/** More than get reply addresses: the alias may be there in many spellings. */
const ADDRESSES_MAX = 1000;
/** Fields of a part that measure its content (RFC 1864; the others are no standard). */
const MEASURES = /^(?:content-md5|content-length|lines)[ \t]*:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/gim;

const KEEP_CALENDARS: CalendarPlan = { kind: "keep" };

/** @param readBody gives the plain form (not dot-stuffed); not called where there can be no calendar */
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

/** What calendar parts are read from, and out of which budget. */
export interface EditSource {
  body: Buffer;
  budget: ParseBudget;
}

/** @returns `null` when one can't be read */
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

/** @returns `null` when it can't be read, or the budget is used up */
export function readEdit(found: FoundPart, { body, budget }: EditSource): CalendarEdit | null {
  try {
    const part = readCalendarPart({ ...found, body: body.subarray(found.start, found.end), budget });
    return part === null ? null : { found, part };
  } catch (thrown) {
    if (thrown instanceof ParseLimitError) return null;
    throw thrown;
  }
}

/** The first canonical addresses of all calendars, each once; organizers of a calendar before its attendees. */
export function calendarAddresses(edits: readonly CalendarEdit[]): string[] {
  return [...new Set(edits.flatMap(({ part }) => part.calendar.addresses()))].slice(0, ADDRESSES_MAX);
}

export interface WrittenBody {
  /** In order. Most are views of the old body, so that they take no memory of their own. */
  pieces: Buffer[];
  /** Bytes of the pieces that are not views of the old body. */
  newBytes: number;
}

/** @param body the body that the plan was made for */
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

/** @param replacements in the order they lie in the body */
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
