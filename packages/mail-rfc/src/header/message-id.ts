/** Message identifiers (RFC 5322 §3.6.4). Nearly anything occurs, and others compare them as text: never normalize. */

import { asciiDomainOf, canonicalDomain } from "../address/address.ts";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface MessageId {
  left: string;
  right: string;
}

// As real programs require: anything but brackets, white space and a second "@".
const MESSAGE_ID = /^<([^<>@\s\u{0}-\u{1f}\u{7f}]+)@([^<>@\s\u{0}-\u{1f}\u{7f}]+)>$/u;
// What is between angle brackets, or a word outside of them.
const CANDIDATE = /<[^<>]*>|<?[^\s<>]+>?/g;
const ANY_TEXT = /[^\s<>]/;
const LONGEST = 998;

/**
 * Makes an identifier with nothing but `random` on the left. @param random at least 16 bytes
 * @example `<mfrggzdfmztwq2lknnwg23tpoa@alias.test>`
 */
export function makeMessageId(random: Uint8Array, domain: string): string {
  return `<${toBase32(random)}@${canonicalDomain(domain)}>`;
}

/** @throws MailSyntaxError `message_id_syntax` */
export function parseMessageId(text: string): MessageId {
  const trimmed = text.trim();
  const [, left, right] = trimmed.length <= LONGEST ? (MESSAGE_ID.exec(trimmed) ?? []) : [];
  if (left === undefined || right === undefined) throw new MailSyntaxError("message_id_syntax");
  return { left, right };
}

/** Finds identifiers in order, as spelled. Words count too, since trackers write identifiers without brackets. */
export function findMessageIds(text: string, max = 100): string[] {
  const found: string[] = [];
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match !== null && found.length < max; match = CANDIDATE.exec(text)) {
    const [candidate] = match;
    if (candidate.length <= LONGEST && ANY_TEXT.test(candidate)) found.push(candidate);
  }
  return found;
}

export function isBracketed(id: string): boolean {
  return id.startsWith("<") && id.endsWith(">");
}

/** Host of an identifier: the text after the last "@", as A-labels in lower case; `null` without "@". */
export function hostOfMessageId(id: string): string | null {
  return id.includes("@") ? asciiDomainOf(id.replace(/[\s<>]/g, "")) : null;
}
