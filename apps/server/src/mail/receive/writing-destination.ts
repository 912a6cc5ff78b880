import { addressesOf, type HeaderBlock } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { isMailboxOf } from "../../core/destination/same-mailbox.ts";
import { mailboxesOf } from "../copy/write-as-alias.ts";
import type { Transaction } from "../transaction.ts";

/**
 * The destination of the alias that header From names, alone, in any spelling of the mailbox. Whether the author is
 * proven has to be checked before, so that nobody can guess the owner's address.
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
