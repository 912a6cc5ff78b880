/** The destinations that the form for a new alias offers as buttons. Pure. */
import type { AliasWire, MailboxWire } from "@kauke/contract";
import { destinationText, entriesOf } from "../alias-text.ts";

/** Maximum number of offered destinations: finding one among more takes longer than typing an address. */
const MAX_OFFERED = 6;

const mayTakeMail = ({ state }: MailboxWire): boolean => state !== "refused" && state !== "blocked";

/**
 * The destination that the form for a new alias begins with: the default mailbox, or the only one that may receive
 * mail; empty if there is neither.
 */
export function firstDestination(mailboxes: readonly MailboxWire[]): string {
  const chosen = mailboxes.find(({ isDefault }) => isDefault);
  const [only, ...others] = mailboxes.filter(mayTakeMail);
  return chosen?.email ?? (others.length === 0 ? (only?.email ?? "") : "");
}

/**
 * Addresses of the account's mailboxes that may receive mail, confirmed or not: the default first, then by number of
 * aliases.
 */
export function mailboxesToOffer(mailboxes: readonly MailboxWire[]): string[] {
  const taking = mailboxes.filter(mayTakeMail);
  const rank = ({ isDefault, aliasCount }: MailboxWire) => (isDefault ? Number.POSITIVE_INFINITY : aliasCount);
  return taking.toSorted((one, other) => rank(other) - rank(one)).map(({ email }) => email);
}

/**
 * Destinations to offer in the form for a new alias: mailboxes first, then the destinations of the most aliases.
 * @param mailboxes addresses of the account's mailboxes, the default first
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
