import { exactMailbox, sameMailbox } from "../../../core/destination/same-mailbox.ts";
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
