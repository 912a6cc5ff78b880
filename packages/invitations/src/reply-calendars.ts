/**
 * Rewrites calendars and receipts in mail sent as an alias: the owner's mailbox becomes the alias, and a reply address
 * becomes the correspondent. So an acceptance reaches the organizer from the attendee who was invited. Other lines stay
 * as written.
 */
import { type MailboxOwner, OWN, OwnAddresses, ParseBudget, parseAddressList } from "@kauke/mail-rfc";
import type { AnswerWording } from "./answer-subject.ts";
import type { CalendarChange } from "./calendar-text.ts";
import { findCalendars, type MessageFields, mayHoldCalendar } from "./find-calendars.ts";
import {
  CALENDAR_BYTES_MAX,
  type CalendarEdit,
  type Replacement,
  readEdit,
  replaceParts,
} from "./rewrite-calendars.ts";

export interface OwnerAddresses extends MailboxOwner {
  /** Maps a reply address to its correspondent; `null` for any other address. */
  correspondentOf: (address: string) => string | null;
  isSentence: AnswerWording["isSentence"];
}

/** Parts of one message that may name the owner. */
export interface OwnerParts {
  edits: CalendarEdit[];
  reports: Replacement[];
}

/** Maximum bytes of a delivery or read report in which recipients are replaced. */
const REPORT_BYTES_MAX = 65_536;
/** Maximum bytes of all delivery and read reports in one message. One recipient takes about 150 bytes. */
const REPORTS_BYTES_MAX = 262_144;
const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit"]);
const NOTHING: OwnerParts = { edits: [], reports: [] };
/** Matches recipient fields of reports (RFC 8098 §3.2.3, §3.2.4; RFC 3464 §2.3.1, §2.3.2). */
const RECIPIENT = /^((?:final|original)-recipient[ \t]*:[ \t]*[\w.-]+[ \t]*;)([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)/gim;
/** Matches the field that names the computer and the mail program (RFC 8098 §3.2.1). */
const REPORTING_UA = /^reporting-ua[ \t]*:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/gim;

/**
 * Finds the parts to rewrite. Signed and unreadable parts are not included: they stay unchanged, and the leak guard
 * checks them.
 */
export function findOwnerParts(message: MessageFields, body: Buffer): OwnerParts {
  if (!mayHoldCalendar(message)) return NOTHING;
  const edits: CalendarEdit[] = [];
  const reports: Replacement[] = [];
  const budget = new ParseBudget();
  let calendarBytesLeft = CALENDAR_BYTES_MAX;
  let reportBytesLeft = REPORTS_BYTES_MAX;
  for (const found of findCalendars({ message, body, budget }).parts) {
    const bytes = body.subarray(found.start, found.end);
    if (found.kind === "calendar") {
      calendarBytesLeft -= bytes.length;
      const edit = calendarBytesLeft >= 0 ? readEdit(found, { body, budget }) : null;
      if (edit !== null) edits.push(edit);
    } else if (identities.has(found.encoding) && bytes.length <= Math.min(REPORT_BYTES_MAX, reportBytesLeft)) {
      reportBytesLeft -= bytes.length;
      reports.push({ ...found, bytes });
    }
  }
  return { edits, reports };
}

/** @returns chunks of the body with addresses and receipts rewritten; `null` when nothing changes */
export function writeOwnerParts(body: Buffer, { edits, reports }: OwnerParts, owner: OwnerAddresses): Buffer[] | null {
  const change = changeFor(owner);
  const calendars = edits.flatMap(({ found, part }): Replacement[] => {
    const text = part.calendar.write(change);
    return text === null ? [] : [{ ...found, bytes: part.encode(text) }];
  });
  const receipts = reports.flatMap((report): Replacement[] => {
    const bytes = withAliasInReport(report.bytes, owner);
    return bytes === null ? [] : [{ ...report, bytes }];
  });
  const all = [...calendars, ...receipts].toSorted((one, other) => one.start - other.start);
  return all.length === 0 ? null : replaceParts(body, all);
}

function changeFor(owner: OwnerAddresses): CalendarChange {
  const { aliasAddress, isOwnMailbox, correspondentOf } = owner;
  const own = new OwnAddresses(owner);
  const addressFor = (address: string) => (isOwnMailbox(address) ? aliasAddress : correspondentOf(address));
  return {
    addressFor,
    nameFor(name, { before, after }) {
      // The name beside the owner's mailbox may be the owner's real name, so the alias address replaces it.
      if (before !== null && isOwnMailbox(before)) return aliasAddress;
      if (after !== null && name === after.replace("@", " at ")) return after;
      const [named] = name.includes("@") ? parseAddressList(name.slice(0, 1000)) : [];
      return (named && addressFor(named.address)) ?? name;
    },
    unreadable: "keep",
    // The line ends of a text are written as "\n" (RFC 5545 §3.3.11).
    commentFor: (text) =>
      owner.isSentence(own.marked(text, OWN).replace(/(?:\\n){1,20}$/i, "")) ? own.marked(text, aliasAddress) : text,
  };
}

function withAliasInReport(bytes: Buffer, { aliasAddress, isOwnMailbox }: OwnerAddresses): Buffer | null {
  const text = bytes.toString("latin1");
  const written = text
    .replace(RECIPIENT, (field, start: string, value: string) => {
      const [recipient] = parseAddressList(value.replace(/\r\n(?=[ \t])/g, ""));
      return recipient && isOwnMailbox(recipient.address) ? `${start} ${aliasAddress}` : field;
    })
    .replace(REPORTING_UA, "");
  return written === text ? null : Buffer.from(written, "latin1");
}
