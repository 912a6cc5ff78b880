/**
 * Mail that an owner (`owner-proof.ts`) writes to reply and send addresses leaves as the alias. If only a signature
 * proves it, it may be a stranger's replay: it is sent once per address, and only the owner reads a refusal.
 */
import { addressesOf, type HeaderBlock } from "@kauke/mail-rfc";
import type { DestinationStore } from "../../core/destination/destination.ts";
import type { NoticeStore } from "../../core/notice.ts";
import type { AnswerMark, SentAnswerStore } from "../../core/reply-path.ts";
import type { PreparedMessage } from "../message/prepared-message.ts";
import { prepareAsAlias, type WriteAsDeps } from "../message/write-as-alias.ts";
import {
  accept,
  authorUnreadable,
  endWith,
  replyFor,
  type SmtpReply,
  type StageVerdict,
  sendAddressReplies,
} from "../reply.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { ownerProofs } from "./owner-proof.ts";

export interface PrepareRepliesDeps {
  write: WriteAsDeps;
  sentAnswers: Pick<SentAnswerStore, "listKnown" | "remember">;
  notices: Pick<NoticeStore, "insert">;
  destinations: Pick<DestinationStore, "isSharedDomain">;
  hashMark(text: string): string;
}

export interface AnsweringMessage extends ScreenedMessage {
  readonly replies: PreparedReplies;
}

export const proofDeps = ({ write, destinations }: PrepareRepliesDeps) => ({
  domains: write.replyForms.domains,
  destinations,
});

const DAY_MS = 86_400_000;

type Group = readonly [ReplyRecipient, ...ReplyRecipient[]];

/** @returns a refusal or deferral of any reply as the verdict for the whole transaction */
export async function prepareReplies(
  message: ScreenedMessage,
  deps: PrepareRepliesDeps,
): Promise<StageVerdict<AnsweringMessage>> {
  const { transaction, screened } = message;
  const recipients = transaction.recipients.filter((recipient) => recipient.kind === "reply");
  if (recipients.length === 0) return accept({ ...message, replies: new PreparedReplies() });
  const proofs = await Promise.all(recipients.map(ownerProofs(transaction, screened.header, proofDeps(deps))));
  // The verdict is for the whole transaction, which the sender may repeat, so all recipients are checked first.
  if (proofs.includes("unfinished")) return endWith(replyFor("proof_unfinished"));
  if (proofs.includes(null)) return endWith(hasAuthor(message) ? replyFor("reply_not_allowed") : authorUnreadable);
  const isSignedOnly = proofs.some((proof) => proof !== null && proof !== "unfinished" && proof.by === "signature");
  const { open, refused } = isSignedOnly ? await withoutRepeated(transaction, recipients, deps) : allOpen(recipients);
  await using undo = new AsyncDisposableStack();
  const replies = undo.use(new PreparedReplies());
  const groups = [...Map.groupBy(open, (recipient) => recipient.route.aliasId).values()] as unknown as Group[];
  const forOthers = new Set(refused);
  for (const group of groups) {
    const isOff = group.some(({ route, forOthers }) => forOthers !== undefined && route.writeByAddress !== true);
    const prepared = isOff
      ? { refusal: sendAddressReplies.off }
      : await prepareReply(transaction, screened.header, { group, isSignedOnly }, deps);
    if (!("refusal" in prepared)) {
      replies.add(prepared);
      continue;
    }
    const { refusal } = prepared;
    if (isOff && !isSignedOnly) await tellOwner(group, problemOfSwitch(group, deps), deps);
    if (!isSignedOnly || refusal.code < 500) return endWith(refusal);
    await tellOwner(group, problemUntold(transaction, group, refusal, deps), deps);
    for (const recipient of group) forOthers.add(recipient);
  }
  const verdict = asForOthers({ ...message, replies }, forOthers);
  if (verdict.verdict === "accept") undo.move();
  return verdict;
}

/** Whether From has a mailbox. A refusal for this reason reveals nothing about the alias' owner. */
function hasAuthor({ transaction, screened }: ScreenedMessage): boolean {
  const { end, fields } = screened.header;
  return addressesOf({ header: transaction.wire.subarray(0, end), fields }, "from").mailboxes.length > 0;
}

interface Sorted {
  open: readonly ReplyRecipient[];
  refused: readonly ReplyRecipient[];
}

const allOpen = (open: readonly ReplyRecipient[]): Sorted => ({ open, refused: [] });

/** Leaves out recipients that already got the message, and finds those for whom it was refused. */
async function withoutRepeated(
  transaction: Transaction,
  recipients: readonly ReplyRecipient[],
  { sentAnswers, hashMark }: PrepareRepliesDeps,
): Promise<Sorted> {
  const marksOf = answerMarks(transaction, hashMark);
  const keysOf = (kind: "sent" | "refused", recipient: ReplyRecipient) =>
    marksOf(kind, recipient).map(({ key }) => key);
  const keys = recipients.flatMap((recipient) => [...keysOf("sent", recipient), ...keysOf("refused", recipient)]);
  const known = new Set(await sentAnswers.listKnown(keys));
  const isKnown = (kind: "sent" | "refused") => (recipient: ReplyRecipient) =>
    keysOf(kind, recipient).some((key) => known.has(key));
  const unsent = recipients.filter((recipient) => !isKnown("sent")(recipient));
  const { open = [], refused = [] } = Object.groupBy(unsent, (recipient) =>
    isKnown("refused")(recipient) ? "refused" : "open",
  );
  return { open, refused };
}

/** Treats the owner's message like a stranger's: a send address is the alias, a reply address accepts nothing. */
function asForOthers(message: AnsweringMessage, others: ReadonlySet<ReplyRecipient>): StageVerdict<AnsweringMessage> {
  if (others.size === 0) return accept(message);
  if ([...others].some(({ forOthers }) => forOthers === undefined)) return endWith(replyFor("reply_not_allowed"));
  const { transaction } = message;
  const recipients = transaction.recipients.map((recipient) =>
    recipient.kind === "reply" && others.has(recipient) ? (recipient.forOthers ?? recipient) : recipient,
  );
  return accept({ ...message, transaction: { ...transaction, recipients } });
}

/** Why the owner's message was not sent, with marks that prevent a second notice. */
interface Problem {
  text: string;
  marks: readonly AnswerMark[];
}

function problemUntold(transaction: Transaction, group: Group, { text }: SmtpReply, deps: PrepareRepliesDeps): Problem {
  const marksOf = answerMarks(transaction, deps.hashMark);
  return {
    text: `${text}. You are told here because SPF did not show that your mail host sent the message.`,
    marks: group.flatMap((recipient) => marksOf("refused", recipient)),
  };
}

/** A notice that writing by address is off (a setting of the app), at most daily per alias. */
function problemOfSwitch([{ route }]: Group, { hashMark, write }: PrepareRepliesDeps): Problem {
  const key = hashMark(`writing by address is off\0${route.aliasId}`);
  const endsAt = new Date(write.spool.clock.now().getTime() + DAY_MS);
  return { text: `${sendAddressReplies.off.text}.`, marks: [{ key, endsAt }] };
}

async function tellOwner(
  group: Group,
  { text, marks }: Problem,
  { sentAnswers, notices, write }: PrepareRepliesDeps,
): Promise<void> {
  const [{ route }] = group;
  if (!(await sentAnswers.remember(route.userId, marks))) return;
  const people = group.map(({ correspondent }) => correspondent.address).join(", ");
  await notices.insert({
    id: write.spool.random.uuid(),
    userId: route.userId,
    kind: "answer_not_sent",
    aliasId: route.aliasId,
    text: `Your message to ${people} was not sent from ${route.address}. ${text}`,
    createdAt: write.spool.clock.now(),
  });
}

function prepareReply(
  transaction: Transaction,
  header: HeaderBlock,
  { group, isSignedOnly }: { group: Group; isSignedOnly: boolean },
  deps: PrepareRepliesDeps,
) {
  const { envelope, wire, messageId, isOurs } = transaction;
  const [{ route }] = group;
  const marksOf = answerMarks(transaction, deps.hashMark);
  const marks = group.flatMap((recipient) => marksOf("sent", recipient));
  const outgoing = {
    people: group.map(({ correspondent }) => correspondent),
    known: new Map(group.map(({ address, correspondent }) => [address, correspondent])),
    mayNameOutsiders: isOurs,
    ...(marks.length === 0 ? {} : { marks: { userId: route.userId, marks, mayRepeat: !isSignedOnly } }),
    isCounted: !isOurs,
  };
  return prepareAsAlias(route, { ...envelope, wire, header, messageId }, outgoing, deps.write);
}

/** Replies of one transaction; disposing discards those that `enqueue` has not queued. */
export class PreparedReplies {
  readonly #messages: PreparedMessage[] = [];

  add(message: PreparedMessage): void {
    this.#messages.push(message);
  }

  /** @returns the deferral of the whole transaction; its retry repeats queued replies unless they have marks */
  async enqueue(): Promise<SmtpReply | null> {
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      const deferral = await next.enqueue();
      if (deferral !== null) return deferral;
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const message of this.#messages.splice(0)) await message.discard();
  }
}

/** `sent`: the answer was queued. `refused`: its owner was told why it was not sent. */
type MarkKind = "sent" | "refused";

/** @returns a mark for each signature that could prove the same message to the same address again */
function answerMarks(
  { instruction }: Pick<Transaction, "instruction">,
  hash: (text: string) => string,
): (kind: MarkKind, recipient: Pick<ReplyRecipient, "address">) => AnswerMark[] {
  const signatures = [...(instruction?.signatures ?? []), ...(instruction?.unread ?? [])];
  return (kind, { address }) =>
    signatures.map(({ id, endsAt }) => ({ key: hash(`${kind} answer\0${id}\0${address.toLowerCase()}`), endsAt }));
}
