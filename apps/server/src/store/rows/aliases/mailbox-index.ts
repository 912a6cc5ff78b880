import { asciiDomainOf } from "@kauke/mail-rfc";
import { isPublicMailHost } from "../../../core/destination/public-mail-hosts.ts";
import { exactMailbox, sameMailbox } from "../../../core/destination/same-mailbox.ts";
import { registrableDomain } from "../../../limits/party.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

/**
 * Keyed hash of exactly this address, because a host may have the mailbox `ann` but not `ann+shop`. Letter case and the
 * spelling of an international domain are ignored.
 */
export function missingMailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("missing_mailbox.mailbox", exactMailbox(address));
}

/** Keyed hash of a mailbox address with its tag, for the list of the account's mailboxes. */
export function listedMailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("mailbox.address", exactMailbox(address));
}

/**
 * Keyed hash of a mailbox, equal for all spellings that reach it.
 * @param address any spelling of the mailbox
 */
export function mailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("destination.mailbox", sameMailbox(address));
}

/**
 * Keyed hash of the registered domain that a mailbox is at: what DMARC aligns (RFC 9989 §5.3). Empty for a public mail
 * host, so that the hashes do not show how many mailboxes are at the largest ones.
 */
export function mailDomainIndex(keys: ServerKeys, address: string): Buffer {
  const domain = asciiDomainOf(address);
  const registered = registrableDomain(domain) ?? domain;
  const isPublic = isPublicMailHost(domain) || isPublicMailHost(registered);
  return isPublic ? Buffer.alloc(0) : keys.blindIndex("destination.domain", registered);
}
