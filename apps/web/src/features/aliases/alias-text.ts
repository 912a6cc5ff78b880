/** How an alias reads on screen. */
import { type AliasWire, isMailbox, isWebhookUrl, limits } from "@kauke/contract";

export const addressOf = ({ alias, domain }: Pick<AliasWire, "alias" | "domain">): string => `${alias}@${domain}`;

/** Active only if the flag says so and `forwardTo` isn't the literal `null` (specification section 4). */
export function isActive({ active, forwardTo }: Pick<AliasWire, "active" | "forwardTo">): boolean {
  return active && forwardTo !== "null";
}

/** The destinations as text, of a paused alias those it had. */
export function destinationText(alias: Pick<AliasWire, "forwardTo" | "lastForwardTo">): string {
  return alias.forwardTo === "null" ? (alias.lastForwardTo ?? "") : alias.forwardTo;
}

/** `"a@example.org, https://hooks.example.org"` as its entries. */
export function entriesOf(forwardTo: string): string[] {
  return forwardTo
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export const isUrl = (entry: string): boolean => /^https?:\/\//i.test(entry);

/** What the form's preview line already can promise: the entries that are valid. */
export function validEntries(forwardTo: string): string[] {
  return entriesOf(forwardTo).filter((entry) => isMailbox(entry) || isWebhookUrl(entry));
}

const NOTES_SHOWN = 30;

/** Notes in the list: 30 characters and an ellipsis; counted in characters, so that no emoji is cut in half. */
export function cutNotes(notes: string): string {
  const characters = [...notes];
  return characters.length <= NOTES_SHOWN ? notes : `${characters.slice(0, NOTES_SHOWN).join("")}…`;
}

/** `111 left` */
export const notesLeft = (notes: string): string => `${Math.max(0, limits.notesMax - notes.length)} left`;
