import type { ConfirmationState } from "@kauke/contract";
import { t } from "../../texts/texts.ts";
import { countText } from "../../ui/text/count-text.ts";
import { aliasesText } from "../aliases/alias-text.ts";

export const stateTexts: Readonly<Record<ConfirmationState, string>> = {
  confirmed: "",
  new: t("We ask at the first message, or now."),
  asked: t("It gets only a few messages until its reader confirms."),
  refused: t("Its reader says it is not yours."),
  blocked: t("Its reader takes no mail from here."),
};

/** A provider does not let a few messages through to mailboxes that are not confirmed. */
export const stateTextsWithProvider: typeof stateTexts = {
  ...stateTexts,
  new: t("We ask when an alias forwards to it, or now."),
  asked: t("It gets nothing until its reader confirms."),
};

export const stateTag = {
  new: { text: t("not confirmed"), className: "tag tag-accent" },
  asked: { text: t("not confirmed"), className: "tag tag-accent" },
  refused: { text: t("refused"), className: "tag" },
  blocked: { text: t("refused"), className: "tag" },
} as const;

/** @example aliasCountText(1204) // "1,204 aliases"; 0: "No alias" */
export const aliasCountText = (count: number): string => (count === 0 ? t("No alias") : aliasesText(count));

/** Maximum addresses that the text names; further ones are counted. */
const NAMED_MAX = 5;

/** Names the first addresses, e.g. "a@kauke.test, b@kauke.test and 3 more". */
export function namedText(addresses: readonly string[]): string {
  const named = addresses.slice(0, NAMED_MAX);
  const more = addresses.length - named.length;
  if (more > 0) return t("{first} and {count} more", { first: named.join(", "), count: countText(more) });
  return named.length < 2
    ? named.join("")
    : t("{first} and {second}", { first: named.slice(0, -1).join(", "), second: named.at(-1) ?? "" });
}
