/**
 * Mail to reply addresses: it leaves as the alias, to the correspondents behind them. Only a destination of that alias may write
 * there, proven by its domain; or the alias itself, composing here.
 */
import { addressesOf } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { replyFor, type SmtpReply } from "../reply.ts";
import { mailboxesOf, sendAsAlias, type WriteAsDeps } from "../write-as-alias.ts";
import type { Screened } from "./screen.ts";
import type { ReplyRecipient, Transaction } from "./transaction.ts";

/** @returns `null` when every reply is kept for sending, else the refusal or deferral for the whole transaction */
export async function sendReplies(
  transaction: Transaction,
  { header }: Screened,
  recipients: readonly ReplyRecipient[],
  deps: WriteAsDeps,
): Promise<SmtpReply | null> {
  for (const group of Map.groupBy(recipients, (it) => it.route.aliasId).values()) {
    const [{ route }] = group as [ReplyRecipient];
    if (!isOwner(transaction, header, route)) return replyFor("reply_not_allowed");
    const outgoing = {
      people: group.map((it) => it.correspondent),
      known: new Map(group.map((it) => [it.address, it.correspondent])),
      mayNameOutsiders: transaction.isOurs,
    };
    const refused = await sendAsAlias(
      route,
      { ...transaction.envelope, wire: transaction.wire, header },
      outgoing,
      deps,
    );
    if (refused !== null) return refused;
  }
  return null;
}

/** Header From is a destination of the alias, and its domain vouches for it. */
function isOwner({ envelope, wire, isOurs }: Transaction, header: Screened["header"], route: AliasRoute): boolean {
  if (isOurs) return envelope.envelopeFrom === route.address;
  if (envelope.authentication?.isAligned !== true) return false;
  const authors = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from").mailboxes;
  const [author] = authors;
  if (author === undefined || authors.length !== 1) return false;
  return mailboxesOf(route).some((address) => address.toLowerCase() === author.address.toLowerCase());
}
