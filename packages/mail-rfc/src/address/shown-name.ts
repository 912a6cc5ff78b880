/**
 * The name a correspondent is shown by in the owner's inbox, where the address behind it is a reply address. The real address
 * stands last, in words: a name made to look like another address can't push it out of sight, nor turn around what is read.
 */
import { splitAddress } from "./split-address.ts";

/** Characters of the name part. */
export const SHOWN_NAME_MAX = 60;

// Controls, format characters (bidi marks, zero-width, tags), lone surrogates, private use, line separators, and letters that
// show as nothing: combining grapheme joiner, Hangul and Khmer fillers, the blank Braille pattern.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/gu;
// The sign, its wide and its small form.
const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;

export interface ShownCorrespondent {
  name: string | null;
  /** Canonical. */
  address: string;
  /** Whether SPF or DKIM aligned with the address; else the result begins with "Unverified: ". */
  isVerified: boolean;
}

/**
 * @returns never with an "@"; without a name the address alone
 * @example shownName({ name: "Ann", address: "ann@example.org", isVerified: true }) // "Ann (ann at example.org)"
 */
export function shownName({ name, address, isVerified }: ShownCorrespondent): string {
  const { local, domain } = splitAddress(address);
  const spelled = address.includes("@") ? `${plain(local)} at ${plain(domain)}` : plain(address);
  const shown = [...plain(name ?? "")].slice(0, SHOWN_NAME_MAX).join("").trim();
  return `${isVerified ? "" : "Unverified: "}${shown === "" ? spelled : `${shown} (${spelled})`}`;
}

/** White space first, so that a tab parts words where it is not merely unseen. */
function plain(text: string): string {
  return text.replace(/\s+/gu, " ").replace(UNSEEN, "").replace(AT_SIGNS, "").replace(/ {2,}/g, " ").trim();
}
