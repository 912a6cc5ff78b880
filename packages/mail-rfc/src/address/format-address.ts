/**
 * Writes mailboxes into header fields (RFC 5322 §3.4, RFC 2047 §5, RFC 6532): names quoted or encoded as needed, lines
 * folded at 76 columns between words. No name can end a line or a mailbox.
 */

import { canStandBare, encodeWords, oneLine } from "../header/encoded-word.ts";
import { type FieldText, foldedField, headerField, NO_FIELD } from "../header/header-field.ts";
import { isPlainCanonical, parseAddress } from "./address.ts";
import type { Mailbox } from "./address-list.ts";

const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/**
 * Formats one mailbox on one line.
 * @example formatMailbox({ name: "Lee, Ann", address: "ann@example.org" }) // '"Lee, Ann" <ann@example.org>'
 * @throws MailSyntaxError when the address is invalid
 */
export function formatMailbox(mailbox: Mailbox): string {
  return mailboxPieces(mailbox).join(" ");
}

/**
 * Formats a whole address field with its CRLF; empty when there are no mailboxes.
 * @param fieldName spelled as it is to be written, e.g. `Reply-To`
 * @throws MailSyntaxError when an address is invalid or contains characters that header-field.ts refuses
 */
export function formatAddressField(fieldName: string, mailboxes: readonly Mailbox[]): FieldText {
  if (mailboxes.length === 0) return NO_FIELD;
  // These addresses contain no space, so that folding the text at its spaces splits no address.
  if (mailboxes.every(({ address }) => isPlainCanonical(address))) {
    return foldedField(fieldName, mailboxes.map(plainMailbox).join(", "));
  }
  const pieces = mailboxes.flatMap((mailbox, index) => {
    const own = mailboxPieces(mailbox);
    return index === mailboxes.length - 1 ? own : [...own.slice(0, -1), `${own.at(-1)},`];
  });
  return headerField(fieldName, pieces);
}

/**
 * Characters above which a field of recipients has no names: an answer to all, written by another program, must fit into
 * the 102,400 octets and 2,000 lines of a field that are read here, as at Postfix.
 */
const NAMED_MAX = 81_920;

/**
 * Formats a field of recipients, and says how many of them are missing: as a group without members (RFC 5322 §3.4),
 * which programs show but don't write to. A crowd that is too large for one field with names gets one without.
 * @throws MailSyntaxError as `formatAddressField` does
 */
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

/**
 * To field for a message without recipients: a group without members (RFC 5322 §3.4). Spam filters penalize a missing
 * To field, e.g. SpamAssassin with MISSING_HEADERS.
 */
export const UNDISCLOSED_RECIPIENTS = headerField("To", ["undisclosed-recipients:;"]);

/** @param address in canonical spelling, without a space */
function plainMailbox({ name, address }: Mailbox): string {
  const written = writeName(name ?? "");
  return written === "" ? address : `${written} <${address}>`;
}

/** Splits a mailbox into the words between which a line may be folded; the address is never split. */
function mailboxPieces({ name, address }: Mailbox): string[] {
  const { canonical } = parseAddress(address);
  const written = writeName(name ?? "");
  return written === "" ? [canonical] : [...written.split(" "), `<${canonical}>`];
}

/** @returns words with one space between them; empty when there is no name */
function writeName(text: string): string {
  const name = oneLine(text);
  if (!canStandBare(name)) return encodeWords(name).join(" ");
  return name === "" || ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}
