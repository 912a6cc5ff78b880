/**
 * Replaces the owner's mailbox by the alias in the calendars and read receipts of a message that the owner sends, and in
 * what a calendar program wrote around an answer to an invitation.
 */
import {
  calendarAddresses,
  findOwnerParts,
  type Mailbox,
  readHeader,
  readMessageFields,
  withAliasInAnswer,
  withAliasInSubject,
  writeOwnerParts,
} from "@kauke/mail-rfc";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";

export interface OwnerMessage {
  /** The new header block without the blank line. */
  header: Buffer;
  /** Body without dot-stuffing. */
  body: Buffer;
}

export interface Owner {
  /** Address of the alias, in lower case. */
  aliasAddress: string;
  mailboxes: readonly string[];
  /**
   * Finds the people behind reply addresses; other addresses are left out.
   * @param addresses canonical addresses
   * @returns people by lower-case address
   */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

/** Replaces the owner's mailbox by the alias. @returns the same message when nothing changes */
export async function withAliasInParts(message: OwnerMessage, owner: Owner): Promise<OwnerMessage> {
  const { header, body } = message;
  const parts = findOwnerParts(readMessageFields({ header, fields: readHeader(header).fields }), body);
  if (parts.edits.length === 0 && parts.reports.length === 0) return message;
  const people = await owner.findCorrespondents(calendarAddresses(parts.edits));
  const own = new Set(owner.mailboxes.map(sameMailbox));
  const isOwnMailbox = (address: string) => own.has(sameMailbox(address));
  const named = { ...owner, isOwnMailbox };
  const written = writeOwnerParts(body, parts, {
    ...named,
    correspondentOf: (address) => people.get(address.toLowerCase())?.address ?? null,
  });
  const changed = written === null ? message : { header, body: Buffer.concat(written) };
  const isAnswer = parts.edits.some(
    ({ part: { calendar } }) => calendar.isReply && calendar.addresses().some(isOwnMailbox),
  );
  if (!isAnswer) return changed;
  return { header: withAliasInSubject(header, named), body: withAliasInAnswer(changed, named).body };
}
