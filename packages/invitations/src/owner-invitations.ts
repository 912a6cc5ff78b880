/**
 * Replaces the owner's mailbox by the alias in the calendars and read receipts of a message that the owner sends, and in
 * what a calendar program wrote around an answer to an invitation.
 */
import { type Mailbox, type MailboxOwner, readHeader } from "@kauke/mail-rfc";
import { type AnswerWording, withAliasInSubject } from "./answer-subject.ts";
import { readMessageFields } from "./find-calendars.ts";
import { findOwnerParts, writeOwnerParts } from "./reply-calendars.ts";
import { calendarAddresses } from "./rewrite-calendars.ts";

interface SentMessage {
  /** The new header block without the blank line. */
  header: Buffer;
  /** Body without dot-stuffing. */
  body: Buffer;
}

interface Sender extends MailboxOwner {
  /**
   * Finds the people behind reply addresses; other addresses are left out.
   * @param addresses canonical addresses
   * @returns people by lower-case address
   */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

/** @returns the same message when nothing changes */
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
