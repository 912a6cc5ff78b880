import { type AliasWire, isMailbox, isWebhookUrl, limits, type UpdateAliasBody } from "@kauke/contract";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { countText } from "../../ui/text/count-text.ts";

export const aliasesText = (count: number): string =>
  plural(count, "{count} alias", "{count} aliases", { count: countText(count) });

export const addressOf = ({ alias, domain }: Pick<AliasWire, "alias" | "domain">): string => `${alias}@${domain}`;

/** `forwardTo` of a paused alias is the text `null` (specification section 4). */
export function isActive({ active, forwardTo }: Pick<AliasWire, "active" | "forwardTo">): boolean {
  return active && forwardTo !== "null";
}

/** Destinations to show; for a paused alias, those from before the pause. */
export function destinationText(alias: Pick<AliasWire, "forwardTo" | "lastForwardTo">): string {
  return alias.forwardTo === "null" ? (alias.lastForwardTo ?? "") : alias.forwardTo;
}

/** How mail made an alias by itself; `null` for others, and once it is kept. */
export function madeByText({ madeByMail }: Pick<AliasWire, "madeByMail">): string | null {
  if (madeByMail === undefined) return null;
  const { organisation } = madeByMail;
  return organisation === null
    ? t("Made by first mail from an unproven sender")
    : t("Made by first mail from {organisation}", { organisation });
}

/** @example entriesOf("a@example.org, https://hooks.example.org") // both destinations */
export function entriesOf(forwardTo: string): string[] {
  return forwardTo
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export const isUrl = (entry: string): boolean => /^https?:\/\//i.test(entry);

export function validEntries(forwardTo: string): string[] {
  return entriesOf(forwardTo).filter((entry) => isMailbox(entry) || isWebhookUrl(entry));
}

/** Longest part of an address before the @, in characters (RFC 5321 §4.5.3.1.1). */
const LOCAL_MAX = 64;

/** The address by which an alias' owner writes to a person: `shop+ann=planner.example@kauke.test`. */
export function sendAddress(
  { alias, domain }: Pick<AliasWire, "alias" | "domain">,
  person: string,
): { address: string } | { error: string } {
  const typed = person.trim();
  const at = typed.lastIndexOf("@");
  if (!isMailbox(typed)) return { error: t("Please enter a valid email address") };
  const local = `${alias}+${typed.slice(0, at)}=${typed.slice(at + 1)}`;
  if (local.length > LOCAL_MAX) return { error: t("That makes too long an address for mail programs. Use Compose.") };
  return { address: `${local}@${domain}` };
}

const NOTES_SHOWN = 30;

/** Cuts notes to 30 code points and an ellipsis; may split an emoji, but no surrogate pair. */
export function cutNotes(notes: string): string {
  const characters = [...notes];
  return characters.length <= NOTES_SHOWN ? notes : `${characters.slice(0, NOTES_SHOWN).join("")}…`;
}

export const notesLeft = (notes: string): string =>
  t("{count} left", { count: Math.max(0, limits.notesMax - notes.length) });

/** The alias as the editor read it; the server refuses to overwrite anything newer. */
export type AliasRead = NonNullable<UpdateAliasBody["before"]>;

export const readOf = (alias: AliasWire): AliasRead => ({
  alias: alias.alias,
  forwardTo: destinationText(alias),
  notes: alias.notes,
});
