import { asciiDomainOf, splitAddress } from "@kauke/mail-rfc";
import { sameMailbox } from "../../../core/destination/same-mailbox.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

/** Of exactly this address: a host may know `ann` and not `ann+shop`. Letter case and the domain's spelling make no difference. */
export function missingMailboxIndex(keys: ServerKeys, address: string): Buffer {
  const local = splitAddress(address).local.normalize("NFC").toLowerCase();
  return keys.blindIndex("missing_mailbox.mailbox", `${local}@${asciiDomainOf(address)}`);
}

/** @param address any spelling of the mailbox */
export function mailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("destination.mailbox", sameMailbox(address));
}
