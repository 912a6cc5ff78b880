/**
 * Mail to reply addresses: it leaves as the alias, to the correspondents behind them. Only a destination of that alias may write
 * there, proven by its domain; or the alias itself, composing here.
 */
import type { ErrorCode } from "@kauke/contract";
import { addressesOf } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { isMailboxOf } from "../../core/destination/same-mailbox.ts";
import {
  isAnsweredByProgram,
  mailboxesOf,
  type PreparedMessage,
  prepareAsAlias,
  type WriteAsDeps,
} from "../copy/write-as-alias.ts";
import { replyFor, replyForThrow, type SmtpReply } from "../reply.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";
import type { Screened } from "./screen.ts";

/** The answers of one transaction, written and checked. Those that `keep` has not kept have to be discarded. */
export class PreparedReplies {
  readonly #messages: PreparedMessage[] = [];

  add(message: PreparedMessage): void {
    this.#messages.push(message);
  }

  /**
   * @returns `null` when all are kept for sending, else the deferral for the whole transaction. Those kept before it are sent, and
   * sent again when the sender repeats the transaction.
   */
  async keep(): Promise<SmtpReply | null> {
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      const deferral = await next.keep();
      if (deferral !== null) return deferral;
    }
    return null;
  }

  async discard(): Promise<void> {
    for (const it of this.#messages.splice(0)) await it.discard();
  }
}

/** @returns answers to keep when the rest of the transaction is taken, or the refusal or deferral for all of it */
export async function prepareReplies(
  transaction: Transaction,
  { header }: Screened,
  recipients: readonly ReplyRecipient[],
  deps: WriteAsDeps,
): Promise<PreparedReplies | { refusal: SmtpReply }> {
  const prepared = new PreparedReplies();
  if (recipients.length === 0) return prepared;
  const groups = [...Map.groupBy(recipients, (it) => it.route.aliasId).values()] as [ReplyRecipient][];
  // All aliases before any is sent for: the answer is for the whole transaction, which its sender may repeat.
  for (const [{ route }] of groups) {
    const notOwner = refuseStranger(transaction, header, route);
    if (notOwner !== null) return { refusal: replyFor(notOwner) };
  }
  const isOver = transaction.isOurs ? null : await countAnswers(transaction, header, groups, deps);
  if (isOver !== null) return { refusal: isOver };
  try {
    for (const group of groups) {
      const message = await prepareReply(transaction, header, group, deps);
      if ("refusal" in message) {
        await prepared.discard();
        return message;
      }
      prepared.add(message);
    }
    return prepared;
  } catch (thrown) {
    await prepared.discard();
    throw thrown;
  }
}

function prepareReply(
  { envelope, wire, messageId, isOurs }: Transaction,
  header: Screened["header"],
  group: readonly [ReplyRecipient],
  deps: WriteAsDeps,
) {
  const [{ route }] = group;
  const outgoing = {
    people: group.map((it) => it.correspondent),
    known: new Map(group.map((it) => [it.address, it.correspondent])),
    mayNameOutsiders: isOurs,
  };
  return prepareAsAlias(route, { ...envelope, wire, header, messageId }, outgoing, deps);
}

/** What was composed here was counted there. @returns the deferral when an account has written too much */
async function countAnswers(
  { envelope, wire }: Transaction,
  header: Screened["header"],
  groups: readonly [ReplyRecipient][],
  { takeSubmissionLimit, takeAutomaticLimit }: Pick<WriteAsDeps, "takeSubmissionLimit" | "takeAutomaticLimit">,
): Promise<SmtpReply | null> {
  const source = { header: wire.subarray(0, header.end), fields: header.fields };
  const take = isAnsweredByProgram(envelope, source) ? takeAutomaticLimit : takeSubmissionLimit;
  try {
    for (const [{ route }] of groups) await take(route.userId);
    return null;
  } catch (thrown) {
    return replyForThrow(thrown);
  }
}

/**
 * Header From is a destination of the alias, or its mailbox without the tag, and its domain vouches for it. Proof is looked at
 * first: what is answered without it is the same for every From, so that nobody can try guesses of the owner's address.
 * @returns `null` for the owner
 */
function refuseStranger(transaction: Transaction, header: Screened["header"], route: AliasRoute): ErrorCode | null {
  const { envelope, isOurs, isProofUnfinished = false } = transaction;
  if (isOurs) return envelope.envelopeFrom === route.address ? null : "reply_not_allowed";
  if (envelope.authentication?.isAligned !== true) return isProofUnfinished ? "proof_unfinished" : "reply_not_allowed";
  return isWrittenByDestination(transaction, header, route) ? null : "reply_not_allowed";
}

function isWrittenByDestination({ wire }: Transaction, header: Screened["header"], route: AliasRoute): boolean {
  const authors = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from").mailboxes;
  const [author] = authors;
  if (author === undefined || authors.length !== 1) return false;
  return mailboxesOf(route).some((address) => isMailboxOf(author.address, address));
}
