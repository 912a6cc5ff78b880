import { addressesOf, type HeaderBlock } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { isMailboxOf } from "../../core/destination/same-mailbox.ts";
import { mailboxesOf } from "../message/write-as-alias.ts";
import type { Transaction } from "../transaction.ts";

/**
 * Finds the destination of the alias that is the only author in header From, in any spelling of the mailbox. Call it
 * only for an authenticated author, or anybody could probe for the owner's address.
 * @returns `null` when From names somebody else or several people
 */
export function writingDestination(
  { wire }: Pick<Transaction, "wire">,
  header: HeaderBlock,
  route: AliasRoute,
): string | null {
  const authors = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from").mailboxes;
  const [author] = authors;
  if (author === undefined || authors.length !== 1) return null;
  return mailboxesOf(route).find((address) => isMailboxOf(author.address, address)) ?? null;
}
