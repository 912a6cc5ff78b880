import { sameMailbox } from "../core/destination/same-mailbox.ts";
import type { ServerKeys } from "./server-keys.ts";

/** @param address any spelling of the mailbox */
export function mailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("destination.mailbox", sameMailbox(address));
}
