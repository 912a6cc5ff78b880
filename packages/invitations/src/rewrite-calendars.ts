/** Replaces addresses in calendars byte for byte, found once for all recipients; drops fields that measure a part. */

import { ParseBudget, ParseLimitError } from "@kauke/mail-rfc";
import { type MessageFields, mayHoldCalendar } from "./calendar-fields.ts";
import { type CalendarPart, readCalendarPart } from "./calendar-part.ts";
import type { CalendarChange } from "./change-line.ts";
import { type FoundPart, findCalendars } from "./find-calendars.ts";

export interface CalendarEdit {
  found: FoundPart;
  part: CalendarPart;
}

/** The plan `hide` means that some calendar can't be changed. */
export type CalendarPlan =
  | { kind: "keep" }
  | { kind: "hide"; reason: "signed" | "unreadable" }
  | { kind: "edit"; edits: CalendarEdit[]; addresses: string[] };

/** Maximum bytes of a message's calendars, parsed in one turn of the event loop; usual ones have a hundredth. */
export const CALENDAR_BYTES_MAX = 1_048_576;
/** Maximum addresses in calendars: more than reply addresses, since some may be spellings of the alias. */
const ADDRESSES_MAX = 1000;
/** Fields that measure a body: Content-MD5 (RFC 1864), and the non-standard Content-Length and Lines. */
const MEASURES = /^(?:content-md5|content-length|lines)[ \t]*:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/gim;

const KEEP_CALENDARS: CalendarPlan = { kind: "keep" };

/** @param readBody returns the body without dot-stuffing; called only if the message could contain a calendar */
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

export interface EditSource {
  body: Buffer;
  budget: ParseBudget;
}

/** Reads the calendars; `null` when one can't be read or they are too large together. */
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

export function readEdit(found: FoundPart, { body, budget }: EditSource): CalendarEdit | null {
  try {
    const part = readCalendarPart({ ...found, body: body.subarray(found.start, found.end), budget });
    return part === null ? null : { found, part };
  } catch (thrown) {
    if (thrown instanceof ParseLimitError) return null;
    throw thrown;
  }
}

export function calendarAddresses(edits: readonly CalendarEdit[]): string[] {
  return [...new Set(edits.flatMap(({ part }) => part.calendar.addresses()))].slice(0, ADDRESSES_MAX);
}

export interface WrittenBody {
  pieces: Buffer[];
  newBytes: number;
}

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

/** Replaces parts of a body, and drops fields that measure the old content. @param replacements in order of position */
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

export function withoutMeasures(header: Buffer): Buffer {
  const text = header.toString("latin1");
  const kept = text.replace(MEASURES, "");
  return kept === text ? header : Buffer.from(kept, "latin1");
}
