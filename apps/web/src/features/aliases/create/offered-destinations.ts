import type { AliasWire, MailboxWire } from "@kauke/contract";
import { t } from "../../../texts/texts.ts";
import { destinationText, entriesOf, isUrl } from "../alias-text.ts";

export interface Offer {
  destination: string;
  /** E.g. "Not confirmed yet". */
  note: string;
}

/** Maximum offered destinations: picking among more takes longer than typing. */
const MAX_OFFERED = 6;

const mayTakeMail = ({ state }: MailboxWire): boolean => state !== "refused" && state !== "blocked";

/** First content of "Forward to": the default mailbox, or the only one that may receive mail; else empty. */
export function firstDestination(mailboxes: readonly MailboxWire[]): string {
  const chosen = mailboxes.find(({ isDefault }) => isDefault);
  const [only, ...others] = mailboxes.filter(mayTakeMail);
  return chosen?.email ?? (others.length === 0 ? (only?.email ?? "") : "");
}

/** Mailboxes to offer, confirmed or not: the default first, then by number of aliases. */
export function mailboxesToOffer(mailboxes: readonly MailboxWire[]): string[] {
  const taking = mailboxes.filter(mayTakeMail);
  const rank = ({ isDefault, aliasCount }: MailboxWire) => (isDefault ? Number.POSITIVE_INFINITY : aliasCount);
  return taking.toSorted((one, other) => rank(other) - rank(one)).map(({ email }) => email);
}

/** Offers mailboxes first, then the most used destinations. @param mailboxes the default first */
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

function noteOf({ isDefault, state }: MailboxWire): string {
  if (isDefault) return state === "confirmed" ? t("Default, confirmed") : t("Default, not confirmed yet");
  return state === "confirmed" ? t("Confirmed") : t("Not confirmed yet");
}

/** Destinations to offer, each with what a person has to know of it. */
export function offersOf(mailboxes: readonly MailboxWire[], aliases: readonly AliasWire[]): Offer[] {
  const notes = new Map(mailboxes.map((box) => [box.email, noteOf(box)]));
  return offeredDestinations(mailboxesToOffer(mailboxes), aliases).map((destination) => ({
    destination,
    note: notes.get(destination) ?? (isUrl(destination) ? t("Webhook") : t("In use")),
  }));
}
