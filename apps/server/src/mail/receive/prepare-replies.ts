/**
 * Mail to reply addresses leaves as the alias, to the correspondents behind them. Only a destination of that alias may
 * send it, proven by its domain, or the alias itself when the message was composed here.
 */
import type { ErrorCode } from "@kauke/contract";
import type { HeaderBlock } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { isAutomaticReply, prepareAsAlias, type WriteAsDeps } from "../copy/write-as-alias.ts";
import { replyFor, replyForThrow, type SmtpReply } from "../reply.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";
import { accept, answer, type StageVerdict } from "../verdict.ts";
import type { AnsweringMessage, ScreenedMessage } from "./arrived-message.ts";
import { PreparedReplies } from "./prepared-replies.ts";
import { writingDestination } from "./writing-destination.ts";

/**
 * The stage that writes and checks the replies of alias owners. They are sent once the rest of the transaction is
 * accepted.
 * @returns a refusal or deferral of any reply as the verdict for the whole transaction
 */
export function prepareReplies(
  message: ScreenedMessage,
  deps: WriteAsDeps,
): StageVerdict<AnsweringMessage> | Promise<StageVerdict<AnsweringMessage>> {
  const recipients = message.transaction.recipients.filter((recipient) => recipient.kind === "reply");
  if (recipients.length === 0) return accept({ ...message, replies: new PreparedReplies() });
  return prepareAll(message, recipients, deps);
}

async function prepareAll(
  message: ScreenedMessage,
  recipients: readonly ReplyRecipient[],
  deps: WriteAsDeps,
): Promise<StageVerdict<AnsweringMessage>> {
  const { transaction, screened, ends } = message;
  const replies = new PreparedReplies();
  ends.defer(() => replies.discard());
  const groups = [...Map.groupBy(recipients, (recipient) => recipient.route.aliasId).values()] as [ReplyRecipient][];
  // All aliases are checked before a reply is prepared: the verdict is for the whole transaction, which the sender may
  // repeat.
  for (const [{ route }] of groups) {
    const refusal = refuseUnlessOwner(transaction, screened.header, route);
    if (refusal !== null) return answer(replyFor(refusal));
  }
  const isOver = transaction.isOurs ? null : await countAnswers(transaction, screened.header, groups, deps);
  if (isOver !== null) return answer(isOver);
  for (const group of groups) {
    const prepared = await prepareReply(transaction, screened.header, group, deps);
    if ("refusal" in prepared) return answer(prepared.refusal);
    replies.add(prepared);
  }
  return accept({ ...message, replies });
}

function prepareReply(
  { envelope, wire, messageId, isOurs }: Transaction,
  header: HeaderBlock,
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

/**
 * Counts an owner's replies against the limits for submitted or automatic mail of the account.
 * @returns the deferral when an account is over its limit
 */
async function countAnswers(
  { envelope, wire }: Transaction,
  header: HeaderBlock,
  groups: readonly [ReplyRecipient][],
  { takeSubmissionLimit, takeAutomaticLimit }: Pick<WriteAsDeps, "takeSubmissionLimit" | "takeAutomaticLimit">,
): Promise<SmtpReply | null> {
  const source = { header: wire.subarray(0, header.end), fields: header.fields };
  const take = isAutomaticReply(envelope, source) ? takeAutomaticLimit : takeSubmissionLimit;
  try {
    for (const [{ route }] of groups) await take(route.userId);
    return null;
  } catch (thrown) {
    return replyForThrow(thrown);
  }
}

/**
 * Checks that header From is a destination of the alias, or its mailbox without the tag, and is proven by its domain.
 * The proof is checked first: the refusal of an unproven message is the same for every From, so that nobody can guess
 * the owner's address.
 * @returns `null` for the owner
 */
function refuseUnlessOwner(transaction: Transaction, header: HeaderBlock, route: AliasRoute): ErrorCode | null {
  const { envelope, isOurs, isProofUnfinished = false } = transaction;
  if (isOurs) return envelope.envelopeFrom === route.address ? null : "reply_not_allowed";
  if (envelope.authentication?.isAligned !== true) return isProofUnfinished ? "proof_unfinished" : "reply_not_allowed";
  return writingDestination(transaction, header, route) !== null ? null : "reply_not_allowed";
}
