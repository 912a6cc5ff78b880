/** Writes mailboxes into header fields (RFC 5322 §3.4, RFC 2047 §5). No name can end a line or a mailbox. */

import { canStandBare, encodeWords, oneLine } from "../header/encoded-word.ts";
import { type FieldText, foldedField, headerField, NO_FIELD } from "../header/header-field.ts";
import { isPlainCanonical, parseAddress, splitAddress } from "./address.ts";
import type { Mailbox } from "./address-list.ts";

const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/**
 * @example formatMailbox({ name: "Lee, Ann", address: "ann@example.org" }) // '"Lee, Ann" <ann@example.org>'
 * @throws MailSyntaxError when the address is invalid
 */
export function formatMailbox(mailbox: Mailbox): string {
  return mailboxPieces(mailbox).join(" ");
}

/** Writes a whole field with its CRLF; empty without mailboxes. @throws MailSyntaxError for an invalid address */
export function formatAddressField(fieldName: string, mailboxes: readonly Mailbox[]): FieldText {
  if (mailboxes.length === 0) return NO_FIELD;
  if (mailboxes.every(({ address }) => isPlainCanonical(address))) {
    return foldedField(fieldName, mailboxes.map(plainMailbox).join(", "));
  }
  const pieces = mailboxes.flatMap((mailbox, index) => {
    const own = mailboxPieces(mailbox);
    return index === mailboxes.length - 1 ? own : [...own.slice(0, -1), `${own.at(-1)},`];
  });
  return headerField(fieldName, pieces);
}

/** Characters above which recipients lose their names, so that a reply to all fits into 102,400 octets. */
const NAMED_MAX = 81_920;

/** Formats recipients; counts missing ones in the name of an empty group, which programs show but don't write to. */
export function formatRecipients(fieldName: string, mailboxes: readonly Mailbox[], missing: number): FieldText {
  const named = formatWithMissing(fieldName, mailboxes, missing);
  if (named.length <= NAMED_MAX) return named;
  const unnamed = mailboxes.map(({ address }) => ({ name: null, address }));
  return formatWithMissing(fieldName, unnamed, missing);
}

function formatWithMissing(fieldName: string, mailboxes: readonly Mailbox[], missing: number): FieldText {
  if (missing === 0) return formatAddressField(fieldName, mailboxes);
  const pieces = mailboxes.flatMap((mailbox) => {
    const own = mailboxPieces(mailbox);
    return [...own.slice(0, -1), `${own.at(-1)},`];
  });
  return headerField(fieldName, [...pieces, `${missing}`, "more", "without", "a", "reply", "address:;"]);
}

/** A group without members (RFC 5322 §3.4), since spam filters penalize a missing To field. */
export const UNDISCLOSED_RECIPIENTS = headerField("To", ["undisclosed-recipients:;"]);

function plainMailbox({ name, address }: Mailbox): string {
  const written = writeName(name ?? "");
  return written === "" ? address : `${written} <${address}>`;
}

/** The words between which a line may be folded; the address is never split. */
function mailboxPieces({ name, address }: Mailbox): string[] {
  const { canonical } = parseAddress(address);
  const written = writeName(name ?? "");
  return written === "" ? [canonical] : [...written.split(" "), `<${canonical}>`];
}

function writeName(text: string): string {
  const name = oneLine(text);
  if (!canStandBare(name)) return encodeWords(name).join(" ");
  return name === "" || ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

export const SHOWN_NAME_MAX = 60;

// Control, format and private-use characters, lone surrogates, line separators, fillers and the blank Braille pattern.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/gu;
const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;
// ASCII words without "@", with one space between them, are shown unchanged.
const PLAIN_TEXT = /^[!-?A-~]+(?: [!-?A-~]+)*$/;

interface ShownCorrespondent {
  name: string | null;
  address: string;
  /** Whether SPF or DKIM proved the author; if not, the name begins with "Unverified: ". */
  isVerified: boolean;
}

/**
 * A display name without "@".
 * @example shownName({ name: "Ann", address: "ann@example.org", isVerified: true }) // "Ann (ann at example.org)"
 */
export function shownName({ name, address, isVerified }: ShownCorrespondent): string {
  const { local, domain } = splitAddress(address);
  const spelled = address.includes("@") ? `${plain(local)} at ${plain(domain)}` : plain(address);
  const isAddress = name?.trim().toLowerCase() === address.toLowerCase();
  const shown = isAddress ? "" : shortened(plain(name ?? ""));
  return `${isVerified ? "" : "Unverified: "}${shown === "" ? spelled : `${shown} (${spelled})`}`;
}

/** Author for a message without one, at an address that takes no mail: large hosts refuse mail without From. */
export function unknownAuthor(name: string, domain: string): { name: string; address: string } {
  return { name: `Unknown sender${namePart(name)}`, address: `no-reply@${domain}` };
}

function namePart(name: string): string {
  const shown = shortened(plain(name));
  return shown === "" ? "" : `: ${shown}`;
}

function shortened(text: string): string {
  return text.length <= SHOWN_NAME_MAX ? text : [...text].slice(0, SHOWN_NAME_MAX).join("").trim();
}

/** Replaces white space first, so that a tab separates words instead of disappearing as invisible. */
function plain(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  return text.replace(/\s+/gu, " ").replace(UNSEEN, "").replace(AT_SIGNS, "").replace(/ {2,}/g, " ").trim();
}
