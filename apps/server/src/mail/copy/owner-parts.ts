/** What an owner's message says of its owner in calendars and receipts, with the alias in place of the mailbox. */
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
  /** The new header block, no blank line. */
  header: Buffer;
  /** Plain form. */
  body: Buffer;
}

export interface Owner {
  /** Lower case. */
  aliasAddress: string;
  mailboxes: readonly string[];
  /** Who reply addresses stand for; others are left out. @param addresses canonical @returns by lower-case address */
  findCorrespondents(addresses: readonly string[]): Promise<ReadonlyMap<string, Mailbox>>;
}

/** @returns the body, the same where nothing changes */
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
