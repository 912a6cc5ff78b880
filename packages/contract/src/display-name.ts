/** Names that correspondents see beside an alias' address, without schemas: pages check them before zod has loaded. */
import { limits } from "./limits.ts";

export const displayNameMessages = {
  text: "displayName must be a text",
  length: `A display name has at most ${limits.displayNameMax} characters, or fewer of several octets each`,
  characters: "A display name can't hold line breaks, invisible or direction-changing characters",
  address: "A display name can't hold “@”, since it must not look like another address",
  empty: "A display name needs at least one letter, digit or symbol",
  mailbox: "This display name would reveal one of your mailboxes",
} as const;

// Zero-width joiners stay, which emoji and Persian need.
const UNSEEN =
  /(?![\u{200c}\u{200d}])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/u;
const AT_SIGN = /[@\u{fe6b}\u{ff20}]/u;
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** One spelling of equal names. Line breaks stay, so that they are refused. */
export const cleanDisplayName = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\p{Zs}+/gu, " ")
    .replace(/^ | $/g, "");

/** @param name cleaned; an empty one is none @returns what is wrong with it, `null` for nothing */
export function displayNameProblem(name: string): string | null {
  if (name === "") return null;
  if (UNSEEN.test(name)) return displayNameMessages.characters;
  if (AT_SIGN.test(name)) return displayNameMessages.address;
  if ([...name].length > limits.displayNameMax) return displayNameMessages.length;
  if (new TextEncoder().encode(name).length > limits.displayNameMaxBytes) return displayNameMessages.length;
  return SEEN.test(name) ? null : displayNameMessages.empty;
}
