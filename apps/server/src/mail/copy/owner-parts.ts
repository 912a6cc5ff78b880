/** Replaces the owner's mailbox by the alias in the calendars and read receipts of a message that the owner sends. */
import {
  calendarAddresses,
  findOwnerParts,
  type Mailbox,
  readHeader,
  readMessageFields,
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

/** Replaces the owner's mailbox by the alias. @returns the new body; the same buffer when nothing changes */
export async function withAliasInParts({ header, body }: OwnerMessage, owner: Owner): Promise<Buffer> {
  const parts = findOwnerParts(readMessageFields({ header, fields: readHeader(header).fields }), body);
  if (parts.edits.length === 0 && parts.reports.length === 0) return body;
  const people = await owner.findCorrespondents(calendarAddresses(parts.edits));
  const own = new Set(owner.mailboxes.map(sameMailbox));
  const written = writeOwnerParts(body, parts, {
    aliasAddress: owner.aliasAddress,
    isOwnMailbox: (address) => own.has(sameMailbox(address)),
    correspondentOf: (address) => people.get(address.toLowerCase())?.address ?? null,
  });
  return written === null ? body : Buffer.concat(written);
}
