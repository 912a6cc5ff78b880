/** Replaces the owner's mailbox by the alias in calendars, receipts, and texts around answers to invitations. */
import {
  decodeEncodedWords,
  fieldTextBytes,
  fieldValue,
  findField,
  formatTextField,
  type Mailbox,
  type MailboxOwner,
  OWN,
  OwnAddresses,
  ParseBudget,
  parseAddressList,
  readHeader,
} from "@kauke/mail-rfc";
import { type MessageFields, mayHoldCalendar, readMessageFields } from "./calendar-fields.ts";
import type { CalendarChange } from "./change-line.ts";
import { findCalendars } from "./find-calendars.ts";
import {
  CALENDAR_BYTES_MAX,
  type CalendarEdit,
  calendarAddresses,
  type Replacement,
  readEdit,
  replaceParts,
} from "./rewrite-calendars.ts";

interface SentMessage {
  header: Buffer;
  body: Buffer;
}

interface Sender extends MailboxOwner {
  /** People behind reply addresses, by lower-case address; others are left out. */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

export async function sendInvitations(
  message: SentMessage,
  owner: Sender,
  wording: AnswerWording,
): Promise<SentMessage> {
  const { header, body } = message;
  const parts = findOwnerParts(readMessageFields({ header, fields: readHeader(header).fields }), body);
  if (parts.edits.length === 0 && parts.reports.length === 0) return message;
  const people = await owner.findCorrespondents(calendarAddresses(parts.edits));
  const written = writeOwnerParts(body, parts, {
    ...owner,
    isSentence: wording.isSentence,
    correspondentOf: (address) => people.get(address.toLowerCase())?.address ?? null,
  });
  const changed = written === null ? message : { header, body: Buffer.concat(written) };
  const isAnswer = parts.edits.some(
    ({ part: { calendar } }) => calendar.isReply && calendar.addresses().some(owner.isOwnMailbox),
  );
  if (!isAnswer) return changed;
  return { header: withAliasInSubject(header, owner, wording), body: wording.inBody(changed, owner).body };
}

interface OwnerAddresses extends MailboxOwner {
  correspondentOf: (address: string) => string | null;
  isSentence: AnswerWording["isSentence"];
}

export interface OwnerParts {
  edits: CalendarEdit[];
  reports: Replacement[];
}

const REPORT_BYTES_MAX = 65_536;
/** Maximum bytes of receipts; one recipient takes about 150. */
const REPORTS_BYTES_MAX = 262_144;
const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit"]);
const NOTHING: OwnerParts = { edits: [], reports: [] };
/** Recipient fields of receipts and reports (RFC 8098 §3.2.3, §3.2.4; RFC 3464 §2.3.1, §2.3.2). */
const RECIPIENT = /^((?:final|original)-recipient[ \t]*:[ \t]*[\w.-]+[ \t]*;)([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)/gim;
/** Field that names the computer and the mail program (RFC 8098 §3.2.1). */
const REPORTING_UA = /^reporting-ua[ \t]*:[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*/gim;

/** Finds what to change. Signed and unreadable parts stay unchanged; the leak guard checks them. */
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
      // The name beside the mailbox may be the owner's real name.
      if (before !== null && isOwnMailbox(before)) return aliasAddress;
      if (after !== null && name === after.replace("@", " at ")) return after;
      const [named] = name.includes("@") ? parseAddressList(name.slice(0, 1000)) : [];
      return (named && addressFor(named.address)) ?? name;
    },
    unreadable: "keep",
    // Line ends of a text are written as "\n" (RFC 5545 §3.3.11).
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

/** Words of calendar programs. In these texts `OWN` stands for the owner's mailbox. */
export interface AnswerWording {
  isSentence(text: string): boolean;
  isSubject(text: string): boolean;
  inBody(message: { header: Buffer; body: Buffer }, owner: MailboxOwner): { body: Buffer };
}

const SUBJECT_MAX = 2000;

function withAliasInSubject(header: Buffer, owner: MailboxOwner, { isSubject }: AnswerWording): Buffer {
  const { fields } = readHeader(header);
  const field = findField(fields, "subject");
  if (field === null) return header;
  const raw = fieldValue(header, field);
  const subject = raw.length > SUBJECT_MAX ? "" : decodeEncodedWords(raw);
  const own = new OwnAddresses(owner);
  const marked = own.marked(subject, OWN);
  if (!marked.includes(OWN) || !isSubject(marked)) return header;
  const written = fieldTextBytes(formatTextField("Subject", own.marked(subject, owner.aliasAddress)));
  return Buffer.concat([header.subarray(0, field.start), written, header.subarray(field.end)]);
}
