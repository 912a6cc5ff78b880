/** Texts that describe an alias on screen. */
import { type AliasWire, isMailbox, isWebhookUrl, limits } from "@kauke/contract";
import { countText } from "../../ui/text/count-text.ts";

/** Number of aliases as text, e.g. `1 alias`, `84 aliases`. */
export const aliasesText = (count: number): string => (count === 1 ? "1 alias" : `${countText(count)} aliases`);

export const addressOf = ({ alias, domain }: Pick<AliasWire, "alias" | "domain">): string => `${alias}@${domain}`;

/** Whether an alias is active: the flag is set and `forwardTo` isn't the text `null` (specification section 4). */
export function isActive({ active, forwardTo }: Pick<AliasWire, "active" | "forwardTo">): boolean {
  return active && forwardTo !== "null";
}

/** Comma-separated destinations of an alias; for a paused alias, those it had before. */
export function destinationText(alias: Pick<AliasWire, "forwardTo" | "lastForwardTo">): string {
  return alias.forwardTo === "null" ? (alias.lastForwardTo ?? "") : alias.forwardTo;
}

/** Splits comma-separated destinations such as `"a@example.org, https://hooks.example.org"`. */
export function entriesOf(forwardTo: string): string[] {
  return forwardTo
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export const isUrl = (entry: string): boolean => /^https?:\/\//i.test(entry);

/** The valid destinations in a text, which the form's preview line shows while the text is being typed. */
export function validEntries(forwardTo: string): string[] {
  return entriesOf(forwardTo).filter((entry) => isMailbox(entry) || isWebhookUrl(entry));
}

const NOTES_SHOWN = 30;

/**
 * Notes as the list shows them: 30 code points and an ellipsis. No surrogate pair is split, but an emoji made of
 * several code points may be.
 */
export function cutNotes(notes: string): string {
  const characters = [...notes];
  return characters.length <= NOTES_SHOWN ? notes : `${characters.slice(0, NOTES_SHOWN).join("")}…`;
}

/** Text of the characters left, e.g. `111 left`. */
export const notesLeft = (notes: string): string => `${Math.max(0, limits.notesMax - notes.length)} left`;
