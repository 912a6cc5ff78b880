import type { ConfirmationState } from "@kauke/contract";
import { countText } from "../../ui/text/count-text.ts";
import { aliasesText } from "../aliases/alias-text.ts";

export const stateTexts: Readonly<Record<ConfirmationState, string>> = {
  confirmed: "",
  new: "We ask at the first message, or now.",
  asked: "It gets only a few messages until its reader confirms.",
  refused: "Its reader says it is not yours.",
  blocked: "Its reader takes no mail from here.",
};

/** A provider does not let a few messages through to mailboxes that are not confirmed. */
export const stateTextsWithProvider: typeof stateTexts = {
  ...stateTexts,
  new: "We ask when an alias forwards to it, or now.",
  asked: "It gets nothing until its reader confirms.",
};

export const stateTag = {
  new: { text: "not confirmed", className: "tag tag-accent" },
  asked: { text: "not confirmed", className: "tag tag-accent" },
  refused: { text: "refused", className: "tag" },
  blocked: { text: "refused", className: "tag" },
} as const;

/** @example aliasCountText(1204) // "1,204 aliases"; 0: "No alias" */
export const aliasCountText = (count: number): string => (count === 0 ? "No alias" : aliasesText(count));

/** Maximum addresses that the text names; further ones are counted. */
const NAMED_MAX = 5;

/** Names the first addresses, e.g. "a@kauke.test, b@kauke.test and 3 more". */
export function namedText(addresses: readonly string[]): string {
  const named = addresses.slice(0, NAMED_MAX);
  const more = addresses.length - named.length;
  if (more > 0) return `${named.join(", ")} and ${countText(more)} more`;
  return named.length < 2 ? named.join("") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}
