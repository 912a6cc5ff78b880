/** What is common to tests of calendars: how addresses are replaced, who owns the alias, and a message in parts. */
import { readHeader } from "@kauke/mail-rfc";
import { readMessageFields } from "./calendar-fields.ts";
import type { CalendarChange } from "./change-line.ts";

/** Replaces every foreign address by the same reply address. */
export const change: CalendarChange = {
  addressFor: (address) => (address.endsWith("@kauke.test") ? address : "r.aaaaaaaaaaaaaaaaaaaa@kauke.test"),
  nameFor: (name) => name,
  unreadable: "remove",
};

/** The owner of an alias, whose mailbox is olga@owner.example. */
export const owner = {
  aliasAddress: "shop@kauke.test",
  mailboxes: ["olga@owner.example"],
  isOwnMailbox: (address: string) => address === "olga@owner.example",
  correspondentOf: () => null,
  isSentence: () => false,
};

export const organizer = "ORGANIZER:mailto:ann@planner.example\r\n";

/** Separates the header fields of a message from its body. */
export function split(message: Buffer) {
  const block = readHeader(message);
  const header = message.subarray(0, block.end);
  const body = message.subarray(block.isSeparated ? block.end + 2 : block.end);
  return { fields: readMessageFields({ header, fields: block.fields }), body };
}
