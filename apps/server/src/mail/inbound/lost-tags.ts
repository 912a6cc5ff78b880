/**
 * Finds messages to an alias whose header names a send address of it (`alias+person=host.example@domain`): some mail
 * programs and hosts leave out the tag in RCPT TO, and the owner's message would come back to the owner. Pure.
 */
import { addressesOf, type HeaderBlock, splitAddress, splitAliasAddress } from "@kauke/mail-rfc";
import type { ResolvedRecipient, Transaction } from "../transaction.ts";

const PLUS = 0x2b;

/**
 * @returns the alias recipients without a tag that To and Cc name only with the tag of a send address, where this send
 * address is no recipient itself
 */
export function lostTagsOf(
  { recipients, wire }: Pick<Transaction, "recipients" | "wire">,
  { fields, end }: HeaderBlock,
): ReadonlySet<ResolvedRecipient> {
  const header = wire.subarray(0, end);
  const lists = fields.filter(({ name }) => name === "to" || name === "cc");
  const hasPlus = lists.some((field) => header.subarray(field.start, field.end).includes(PLUS));
  if (!hasPlus || !recipients.some(({ kind }) => kind === "alias")) return new Set();
  const tagsOf = tagsByAlias(["to", "cc"].flatMap((name) => addressesOf({ header, fields }, name).mailboxes));
  const taken = new Set(recipients.flatMap((it) => (it.kind === "alias" && it.sendTag ? [it.sendTag.address] : [])));
  const hasLostTag = (recipient: ResolvedRecipient) => {
    if (recipient.kind !== "alias" || recipient.sendTag !== undefined) return false;
    const named = tagsOf.get(recipient.route.address) ?? [];
    return named.length > 0 && named.every(({ address, tag }) => tag.includes("=") && !taken.has(address));
  };
  return new Set(recipients.filter(hasLostTag));
}

interface Named {
  /** The whole address in lower case. */
  address: string;
  tag: string;
}

/** Groups addresses by the alias that each is without its tag, in lower case. An address without a tag has the tag "". */
function tagsByAlias(mailboxes: readonly { address: string }[]): ReadonlyMap<string, readonly Named[]> {
  const named = mailboxes.map(({ address }) => {
    const { local, domain } = splitAddress(address);
    const { name, tag } = splitAliasAddress(local);
    return { alias: `${name}@${domain}`.toLowerCase(), address: address.toLowerCase(), tag: tag ?? "" };
  });
  return Map.groupBy(named, ({ alias }) => alias);
}
