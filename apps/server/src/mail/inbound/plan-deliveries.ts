/** One delivery per destination of every alias, without loops. What must be on disk is stored before a copy is sent. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DeliveryStore, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { enqueueMessage, type MessageBodies, type MessageEnvelope } from "../../core/message/message.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { InboundPlan, PlannedAlias } from "../delivery/first-try.ts";
import type { BounceSenders } from "../message/bounce-address.ts";
import type { EncryptionTarget, ForwardCopy } from "../message/forward-copy.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import { type Accepted, accept, defer, endWith, replyForThrow, type StageVerdict } from "../reply.ts";
import type { Transaction } from "../transaction.ts";
import type { Screened } from "./arrived-message.ts";
import type { AnsweringMessage } from "./owner-replies.ts";

export interface PlannedMessage extends AnsweringMessage {
  readonly plan: InboundPlan;
}

export interface PlanDeps {
  makeId(): string;
  /** Destination of mail to postmaster@ and abuse@; `null` when none is set. */
  postmaster: string | null;
  makeCopy(source: {
    transaction: Transaction;
    screened: Screened;
    aliasAddress: string;
    aliasId: string | null;
    account: string | null;
    webhookSecret: Buffer | null;
    replyKey: Buffer | null;
    encryptTo: EncryptionTarget | null;
    mayNameSender: boolean;
  }): ForwardCopy;
}

/** Plans alias by alias, yielding to the event loop, because a large header takes milliseconds. */
export async function planDeliveries(message: AnsweringMessage, deps: PlanDeps): Promise<Accepted<PlannedMessage>> {
  const plan = await planFor(message.transaction, message.screened, deps);
  const copies = plan.aliases.flatMap(({ deliveries: [first] }) => (first === undefined ? [] : [first.copy]));
  const notes = copies.map(({ envelopeFrom }) => `MAIL FROM:<${envelopeFrom}>`);
  return accept({ ...message, plan }, notes);
}

async function planFor(transaction: Transaction, screened: Screened, deps: PlanDeps): Promise<InboundPlan> {
  const aliases: PlannedAlias[] = [];
  const keepFor = new Set<string>();
  const seen = new Set<string>();
  const replies = transaction.recipients.filter((it) => it.kind === "reply");
  const repliesAs = new Set(replies.map((it) => it.route.aliasId));
  let otherwiseTaken = replies.length > 0;
  for (const recipient of transaction.recipients) {
    if (recipient.kind === "alias") {
      // "Reply to all" also addresses the alias, whose copy would only return to its author.
      if (repliesAs.has(recipient.route.aliasId)) continue;
      if (seen.has(recipient.route.aliasId)) continue;
      seen.add(recipient.route.aliasId);
      if (aliases.length > 0) await nextTurn();
      aliases.push(planAlias(transaction, recipient.route, screened, deps));
    } else if (recipient.kind === "operator" && deps.postmaster !== null) {
      if (seen.has(recipient.address)) continue;
      seen.add(recipient.address);
      aliases.push(planOperator(transaction, recipient.address, deps.postmaster, screened, deps));
    } else {
      otherwiseTaken = true;
      if (recipient.kind === "operator") keepFor.add(recipient.address);
    }
  }
  return { aliases, keepFor: [...keepFor], otherwiseTaken };
}

type Route = Extract<Transaction["recipients"][number], { kind: "alias" }>["route"];

function planAlias(transaction: Transaction, route: Route, screened: Screened, deps: PlanDeps): PlannedAlias {
  if (screened.deliveredTo.has(route.address)) return { deliveries: [], refusedAs: "mail_loop" };
  const { aliasId, userId, address: aliasAddress, webhookSecret, replyKey, ageRecipient } = route;
  const encryptTo = ageRecipient === null ? null : { publicKey: ageRecipient, userId };
  const mayNameSender = route.destinations.length === 1;
  const keys = { account: userId, webhookSecret, replyKey, encryptTo };
  const copy = deps.makeCopy({ transaction, screened, aliasAddress, aliasId, ...keys, mayNameSender });
  const { messageId } = transaction;
  return {
    replies: { aliasId, userId, correspondents: copy.correspondents },
    bounceSender: copy.bounceSender && { ...copy.bounceSender, userId },
    deliveries: route.destinations.map((destination) => ({
      id: deps.makeId(),
      messageId,
      aliasId,
      userId,
      registeredFrom: route.registeredFrom,
      target: { destination, aliasAddress, ...reportTo(transaction.envelope, route) },
      copy,
      unconfirmed: destination.kind === "mailbox" ? route.unconfirmed?.get(destination.address) : undefined,
      wasMissing: destination.kind === "mailbox" && route.missing?.includes(destination.address) === true,
      createdAt: transaction.envelope.receivedAt,
    })),
  };
}

function reportTo(
  { envelopeFrom, authentication }: MessageEnvelope,
  route: Route,
): Pick<DeliveryTarget, "reportTo" | "isOneOfSeveral"> {
  const isProven = authentication?.spf === "pass" && envelopeFrom !== "";
  if (!isProven) return {};
  return { reportTo: envelopeFrom, ...(route.destinations.length > 1 ? { isOneOfSeveral: true } : {}) };
}

function planOperator(
  transaction: Transaction,
  address: string,
  postmaster: string,
  screened: Screened,
  deps: PlanDeps,
): PlannedAlias {
  const nobodys = {
    aliasId: null,
    account: null,
    webhookSecret: null,
    replyKey: null,
    encryptTo: null,
    mayNameSender: false,
  };
  const copy = deps.makeCopy({ transaction, screened, aliasAddress: address, ...nobodys });
  const target: DeliveryTarget = { destination: { kind: "mailbox", address: postmaster }, aliasAddress: address };
  const { messageId, envelope } = transaction;
  const planned = {
    id: deps.makeId(),
    messageId,
    aliasId: null,
    userId: null,
    target,
    copy,
    createdAt: envelope.receivedAt,
  };
  return { deliveries: [planned] };
}

export interface StoreReplyAddressesDeps {
  replyBook: Pick<ReplyBook, "isKnown" | "keep">;
}

/** Stores correspondents first, or replies would be lost. @returns a deferral when no alias may store more */
export async function storeReplyAddresses(
  message: PlannedMessage,
  { replyBook }: StoreReplyAddressesDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const copies = message.plan.aliases.flatMap(({ replies }) => (replies === undefined ? [] : [replies]));
  if (replyBook.isKnown(copies)) return accept(message);
  const { aliases, keepFor, otherwiseTaken } = message.plan;
  try {
    const over = await replyBook.keep(copies);
    if (over.size === 0) return accept(message);
    const isOver = ({ replies }: PlannedAlias) => replies !== undefined && over.has(replies.aliasId);
    if (aliases.every(isOver) && keepFor.length === 0 && !otherwiseTaken) return defer("rate_limited");
    const plan = { ...message.plan, aliases: aliases.map((alias) => (isOver(alias) ? held(alias) : alias)) };
    return accept({ ...message, plan });
  } catch (thrown) {
    return endWith(replyForThrow(thrown));
  }
}

function held(alias: PlannedAlias): PlannedAlias {
  return { ...alias, deliveries: alias.deliveries.map((delivery) => ({ ...delivery, isHeld: true })) };
}

export interface StoreBounceSendersDeps {
  bounceSenders: Pick<BounceSenders, "keep">;
}

export async function storeBounceSenders(
  message: PlannedMessage,
  { bounceSenders }: StoreBounceSendersDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const senders = message.plan.aliases.flatMap(({ bounceSender }) => bounceSender ?? []);
  if (senders.length === 0) return accept(message);
  try {
    await bounceSenders.keep(senders, message.transaction.envelope.receivedAt);
    return accept(message);
  } catch (thrown) {
    return endWith(replyForThrow(thrown));
  }
}

export interface KeepForOperatorDeps {
  operatorMail: { deliveries: Pick<DeliveryStore, "keepForOperator">; bodies: Pick<MessageBodies, "put" | "delete"> };
  clock: Clock;
  random: Random;
}

/** Stores mail to postmaster@ and abuse@ for `kauke doctor` if no mailbox is set for it. */
export async function keepForOperator(
  message: PlannedMessage,
  { operatorMail: { deliveries, bodies }, clock, random }: KeepForOperatorDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const { envelope, wire } = message.transaction;
  for (const address of message.plan.keepFor) {
    const stored = { id: random.uuid(), envelope, sizeBytes: wire.length, createdAt: clock.now() };
    try {
      await enqueueMessage(bodies, { id: stored.id, wire }, () => deliveries.keepForOperator(stored, address));
    } catch (thrown) {
      return endWith(replyForThrow(thrown));
    }
  }
  return accept(message);
}
