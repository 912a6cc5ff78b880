/** The destinations that the form for a new alias offers as buttons. Pure. */
import type { AliasWire, MailboxWire } from "@kauke/contract";
import { destinationText, entriesOf } from "../alias-text.ts";

/** More would be searched longer than an address takes to type. */
const MAX_OFFERED = 6;

/** Addresses of the mailboxes that take mail, or may once they are confirmed: the default first, then the most used. */
export function mailboxesToOffer(mailboxes: readonly MailboxWire[]): string[] {
  const taking = mailboxes.filter(({ state }) => state !== "refused" && state !== "blocked");
  const rank = ({ isDefault, aliasCount }: MailboxWire) => (isDefault ? Number.POSITIVE_INFINITY : aliasCount);
  return taking.toSorted((one, other) => rank(other) - rank(one)).map(({ email }) => email);
}

/**
 * @param mailboxes the account's mailboxes, the default first
 * @returns these, then what most aliases forward to, e.g. webhooks
 */
export function offeredDestinations(mailboxes: readonly string[], aliases: readonly AliasWire[]): string[] {
  const counts = new Map<string, { entry: string; count: number }>();
  for (const alias of aliases) {
    for (const entry of entriesOf(destinationText(alias))) {
      const known = counts.get(entry.toLowerCase());
      if (known === undefined) counts.set(entry.toLowerCase(), { entry, count: 1 });
      else known.count++;
    }
  }
  for (const mailbox of mailboxes) counts.delete(mailbox.toLowerCase());
  const used = [...counts.values()].sort((one, other) => other.count - one.count);
  return [...mailboxes, ...used.map(({ entry }) => entry)].slice(0, MAX_OFFERED);
}
