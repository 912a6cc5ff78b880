/**
 * Which addresses count as one mailbox: they differ only in letter case, Unicode form, spelling of the domain or a
 * `+tag`, and at Gmail in dots. Some hosts give `ann` and `ann+x` to two people, who then share one confirmation;
 * without this rule, tags would bypass every limit.
 */

import { asciiDomainOf, splitAddress } from "@kauke/mail-rfc";

const gmail: ReadonlySet<string> = new Set(["gmail.com", "googlemail.com"]);

/**
 * Canonical form for comparison only, not a sendable address.
 * @param address as typed, e.g. `Ann+shop@Example.ORG`
 * @returns e.g. `ann@example.org`
 */
export function sameMailbox(address: string): string {
  const { local, domain } = split(address);
  const name = withoutTag(local).normalize("NFC").toLowerCase();
  // Gmail ignores dots, which gives thousands of spellings: https://support.google.com/mail/answer/7436150
  return gmail.has(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

/**
 * Canonical form of a mailbox address that keeps its tag, because a host may have the mailbox `ann` but not `ann+shop`.
 * Letter case, Unicode form and the spelling of an international domain are ignored.
 * @param address as typed, e.g. `Ann+shop@Example.ORG`
 * @returns e.g. `ann+shop@example.org`
 */
export function exactMailbox(address: string): string {
  const { local, domain } = split(address);
  return `${local.normalize("NFC").toLowerCase()}@${domain}`;
}

/**
 * Key of a limit per mailbox where each spelling belongs to a different account: the plain spelling has a limit of its
 * own, and all others share one. Accounts registered with tags of a stranger's address thus leave the address' own
 * limit alone, and the mailbox gets at most twice the limit.
 */
export function spellingOfMailbox(address: string): string {
  const mailbox = sameMailbox(address);
  return exactMailbox(address) === mailbox ? mailbox : `other spellings of ${mailbox}`;
}

/**
 * Whether `author` is the mailbox `destination`: the same address with the same tag, or without a tag. A different tag
 * counts only at Gmail, where all tags belong to one mailbox; elsewhere a stranger could have registered `ann+x` as a
 * name.
 */
export function isMailboxOf(author: string, destination: string): boolean {
  if (sameMailbox(author) !== sameMailbox(destination)) return false;
  const tag = tagOf(author);
  return tag === "" || tag === tagOf(destination) || gmail.has(split(author).domain);
}

/**
 * Removes the plus tag, which may contain a stranger's text, and keeps the spelling of the rest, for use in header
 * fields.
 */
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
