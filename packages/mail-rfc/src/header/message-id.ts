/**
 * Message identifiers (RFC 5322 §3.6.4): generated for our own mail, found in Message-ID, In-Reply-To and References.
 * There nearly anything occurs (no "@", several, blanks, no brackets); others compare it as text, so it is kept as it is.
 */

import { canonicalDomain } from "../address/address.ts";
import { asciiDomainOf } from "../address/split-address.ts";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface MessageId {
  left: string;
  right: string;
}

// Matches a message identifier. More lenient than the grammar, as real programs require: accepts anything printable
// except brackets, white space and a second "@".
const MESSAGE_ID = /^<([^<>@\s\u{0}-\u{1f}\u{7f}]+)@([^<>@\s\u{0}-\u{1f}\u{7f}]+)>$/u;
// Matches what is between angle brackets, blanks included, or a word outside of them.
const CANDIDATE = /<[^<>]*>|<?[^\s<>]+>?/g;
const ANY_TEXT = /[^\s<>]/;
const LONGEST = 998;

/**
 * Makes a new message identifier.
 * @param random at least 16 bytes; the left side contains nothing else, neither time nor host
 * @example `<mfrggzdfmztwq2lknnwg23tpoa@alias.test>`
 */
export function makeMessageId(random: Uint8Array, domain: string): string {
  return `<${toBase32(random)}@${canonicalDomain(domain)}>`;
}

/**
 * Parses one identifier with its brackets; surrounding white space is allowed.
 * @throws MailSyntaxError `message_id_syntax`
 */
export function parseMessageId(text: string): MessageId {
  const trimmed = text.trim();
  const [, left, right] = trimmed.length <= LONGEST ? (MESSAGE_ID.exec(trimmed) ?? []) : [];
  if (left === undefined || right === undefined) throw new MailSyntaxError("message_id_syntax");
  return { left, right };
}

/**
 * Finds the identifiers in an unfolded Message-ID, References or In-Reply-To value, in order and as they are spelled.
 * Words of a phrase ("Your message of …") count as well, since trackers write identifiers without brackets.
 * @param max maximum number of results
 */
export function findMessageIds(text: string, max = 100): string[] {
  const found: string[] = [];
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match !== null && found.length < max; match = CANDIDATE.exec(text)) {
    const [candidate] = match;
    if (candidate.length <= LONGEST && ANY_TEXT.test(candidate)) found.push(candidate);
  }
  return found;
}

/** Whether an identifier is in angle brackets, as mail programs write it. */
export function isBracketed(id: string): boolean {
  return id.startsWith("<") && id.endsWith(">");
}

/** @returns what follows the last "@" of an identifier, as A-labels in lower case; `null` when there is none */
export function hostOfMessageId(id: string): string | null {
  return id.includes("@") ? asciiDomainOf(id.replace(/[\s<>]/g, "")) : null;
}
