/**
 * Builds the display name of a correspondent in the owner's inbox, where the address itself is a reply address. The
 * real address comes last, written in words, so that a name crafted to look like another address cannot hide it or
 * reverse its direction.
 */
import { splitAddress } from "./split-address.ts";

/** Maximum characters of the name before the address. */
export const SHOWN_NAME_MAX = 60;

// Matches control and format characters (bidi marks, zero-width, tags), lone surrogates, private use, line separators,
// and invisible letters: combining grapheme joiner, Hangul and Khmer fillers, the blank Braille pattern.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/gu;
// The "@" sign and its fullwidth and small variants.
const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;
// Matches a text that is shown unchanged: ASCII words without "@", with one space between them.
const PLAIN_TEXT = /^[!-?A-~]+(?: [!-?A-~]+)*$/;

export interface ShownCorrespondent {
  name: string | null;
  /** Address in canonical form. */
  address: string;
  /** Whether SPF or DKIM aligned with the address; if not, the display name begins with "Unverified: ". */
  isVerified: boolean;
}

/**
 * @returns a display name without "@"; the address alone when there is no name, or when the name is the address
 * @example shownName({ name: "Ann", address: "ann@example.org", isVerified: true }) // "Ann (ann at example.org)"
 */
export function shownName({ name, address, isVerified }: ShownCorrespondent): string {
  const { local, domain } = splitAddress(address);
  const spelled = address.includes("@") ? `${plain(local)} at ${plain(domain)}` : plain(address);
  const isAddress = name?.trim().toLowerCase() === address.toLowerCase();
  const shown = isAddress ? "" : shortened(plain(name ?? ""));
  return `${isVerified ? "" : "Unverified: "}${shown === "" ? spelled : `${shown} (${spelled})`}`;
}

/**
 * Stands for an author whose message names no address to answer to: an address of ours that takes no mail, since large
 * hosts refuse a From field without one.
 * @param name text of the From field; may be empty
 * @param domain domain of the alias
 */
export function unknownAuthor(name: string, domain: string): { name: string; address: string } {
  return { name: `Unknown sender${namePart(name)}`, address: `no-reply@${domain}` };
}

function namePart(name: string): string {
  const shown = shortened(plain(name));
  return shown === "" ? "" : `: ${shown}`;
}

/** Cuts a text without splitting a character. */
function shortened(text: string): string {
  return text.length <= SHOWN_NAME_MAX ? text : [...text].slice(0, SHOWN_NAME_MAX).join("").trim();
}

/**
 * Removes "@" and invisible characters from a text and puts it on one line. White space is replaced first, so that a
 * tab separates words instead of being removed as invisible.
 */
function plain(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return text.replace(/\s+/gu, " ").replace(UNSEEN, "").replace(AT_SIGNS, "").replace(/ {2,}/g, " ").trim();
}
