/**
 * What counts as one mailbox: letter case, Unicode form, spelling of the domain and a `+tag` make no difference, at Gmail dots. A host that
 * gives `ann` and `ann+x` to two people has them share one answer; the other way, a tag would get around every limit.
 */

import { asciiDomainOf, splitAddress } from "@kauke/mail-rfc";

const gmail: ReadonlySet<string> = new Set(["gmail.com", "googlemail.com"]);

/** @param address as a person typed it, e.g. `Ann+shop@Example.ORG` @returns e.g. `ann@example.org`; to compare, not to send to */
export function sameMailbox(address: string): string {
  const { local, domain } = split(address);
  const name = withoutTag(local).normalize("NFC").toLowerCase();
  // Thousands of spellings of every mailbox there: https://support.google.com/mail/answer/7436150
  return gmail.has(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

/**
 * What a limit for a mailbox counts by, where each spelling belongs to one account: the plain spelling by itself, and all others
 * of the mailbox together. Whoever makes accounts with tags of a stranger's address leaves the address itself its own limit; the
 * mailbox gets twice the limit at most.
 */
export function spellingOfMailbox(address: string): string {
  const { local, domain } = split(address);
  const mailbox = sameMailbox(address);
  return `${local.normalize("NFC").toLowerCase()}@${domain}` === mailbox ? mailbox : `other spellings of ${mailbox}`;
}

/**
 * Whether what `author` wrote comes from the mailbox `destination`: the same address, or that of a destination with a tag without
 * it. Another tag counts at Gmail alone, where everybody's tags lead to one mailbox: elsewhere a stranger could have registered
 * `ann+x` as a name.
 */
export function isMailboxOf(author: string, destination: string): boolean {
  if (sameMailbox(author) !== sameMailbox(destination)) return false;
  const tag = tagOf(author);
  return tag === "" || tag === tagOf(destination) || gmail.has(split(author).domain);
}

/** The same for a header field: the person's own name stays as spelled, nothing a stranger could write in the tag does. */
export function untaggedMailbox(address: string): string {
  const { local, domain } = split(address);
  return `${withoutTag(local)}@${domain}`;
}

function split(address: string): { local: string; domain: string } {
  return { local: splitAddress(address).local, domain: asciiDomainOf(address) };
}

function tagOf(address: string): string {
  const { local } = split(address);
  return local.slice(withoutTag(local).length).normalize("NFC").toLowerCase();
}

function withoutTag(local: string): string {
  const plus = local.indexOf("+");
  return plus > 0 ? local.slice(0, plus) : local;
}
