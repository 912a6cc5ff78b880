import { domainToASCII } from "node:url";
import { sameMailbox } from "../../../core/destination/same-mailbox.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

/** Of exactly this address: a host may know `ann` and not `ann+shop`. Letter case and the domain's spelling make no difference. */
export function missingMailboxIndex(keys: ServerKeys, address: string): Buffer {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  const local = address.slice(0, at).normalize("NFC").toLowerCase();
  return keys.blindIndex("missing_mailbox.mailbox", `${local}@${domainToASCII(domain) || domain.toLowerCase()}`);
}

/** @param address any spelling of the mailbox */
export function mailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("destination.mailbox", sameMailbox(address));
}
