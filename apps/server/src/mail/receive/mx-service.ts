/**
 * The MX service: resolve → receive → screen → authenticate → rewrite → deliver, one after another, with the process' parts wired in. What a
 * stage knows is in its own file; the order is here.
 */
import { isAscii } from "node:buffer";
import { unstuff } from "@kauke/mail-rfc";
import type { DeliveryStore } from "../../core/delivery/delivery.ts";
import type { MessageAuthentication, MessageBodies } from "../../core/message/message.ts";
import type { Clock, Random } from "../../core/ports.ts";
import type { MailTrace } from "../../core/preview/mail-trace.ts";
import type { ReplyBook } from "../copy/reply-book.ts";
import type { WriteAsDeps } from "../copy/write-as-alias.ts";
import { replyFor, replyForThrow, type SmtpReply } from "../reply.ts";
import type { MxHandlers, ReceivedMail } from "../smtp-server/session-handlers.ts";
import type { Transaction } from "../transaction.ts";
import type { ToAuthenticate } from "./authenticate/authenticate.ts";
import type { Authentication } from "./authenticate/conclude-checks.ts";
import type { ClientNames } from "./client-names.ts";
import { type DeliverDeps, deliver } from "./deliver.ts";
import { type InboundPlan, type PlanDeps, type PlannedAlias, planDeliveries } from "./plan-deliveries.ts";
import { type ResolveDeps, resolve } from "./resolve.ts";
import { screen } from "./screen.ts";
import { prepareReplies } from "./send-reply.ts";
import { type TakeBounceDeps, takeBounces } from "./take-bounce.ts";
import { type TakeFeedbackDeps, takeFeedback } from "./take-feedback.ts";
import type { TakenFingerprints } from "./taken-fingerprints.ts";
import { takenLedger } from "./taken-ledger.ts";

export interface MxServiceDeps {
  resolve: ResolveDeps;
  plan: PlanDeps;
  deliver: DeliverDeps;
  fingerprints: TakenFingerprints;
  operatorMail: { deliveries: Pick<DeliveryStore, "keepForOperator">; bodies: Pick<MessageBodies, "put" | "delete"> };
  /** `null`: not checked here. */
  authenticate: ((mail: ToAuthenticate) => Promise<Authentication>) | null;
  /** `null`: not asked for. */
  clientNames: Pick<ClientNames, "find"> | null;
  replyBook: Pick<ReplyBook, "keep">;
  sendReply: WriteAsDeps;
  takeBounce: TakeBounceDeps & TakeFeedbackDeps["takeBounce"];
  clock: Clock;
  random: Random;
  /** Preview mode only. */
  trace: MailTrace | null;
}

export function mxService(deps: MxServiceDeps): MxHandlers {
  const { clientNames } = deps;
  return {
    resolve: (path, isNullSender) => resolve(path, isNullSender, deps.resolve),
    receive: (mail) => receive(mail, deps),
    ...(clientNames === null ? {} : { clientName: (address: string) => clientNames.find(address) }),
  };
}

async function receive(mail: ReceivedMail, deps: MxServiceDeps): Promise<SmtpReply> {
  const transaction = beginTransaction(mail, deps);
  traceArrival(transaction, deps.trace);
  const screened = screen(transaction.wire);
  deps.trace?.add(transaction.messageId, { stage: "screen", verdict: screened.verdict, detail: "loops, header size" });
  if (screened.verdict !== "accept") return replyFor(screened.verdict === "discard" ? "internal" : screened.code);
  const makeCopy: PlanDeps["makeCopy"] = (source) => {
    const copy = deps.plan.makeCopy(source);
    const detail = `MAIL FROM:<${copy.envelopeFrom}>`;
    deps.trace?.add(transaction.messageId, { stage: "rewrite", verdict: "accept", detail });
    return copy;
  };
  const isProven = mail.isOurs ?? mail.isProven ?? false;
  if (isProven) transaction.envelope.authentication = provenByUs;
  const refused = isProven ? null : await authenticateTransaction(transaction, deps);
  if (refused !== null) return refused;
  // Asked for since the connection began, in most cases known before the checks end.
  transaction.envelope.clientName = mail.clientName instanceof Promise ? await mail.clientName : mail.clientName;
  const bounces = transaction.recipients.filter((it) => it.kind === "bounce");
  if (!(await takeBounces(transaction, bounces, deps.takeBounce))) return replyFor("not_a_bounce");
  await takeFeedback(transaction, deps);
  const replies = transaction.recipients.filter((it) => it.kind === "reply");
  const prepared = await prepareReplies(transaction, screened.value, replies, deps.sendReply);
  if ("refusal" in prepared) return prepared.refusal;
  try {
    const plan = await planDeliveries(transaction, screened.value, { ...deps.plan, makeCopy });
    const answer = await forward(transaction, plan, deps);
    // Answers leave when all else is taken: a sender who is told to come again would send them twice.
    return answer.code === 250 ? ((await prepared.keep()) ?? answer) : answer;
  } finally {
    await prepared.discard();
  }
}

async function forward(transaction: Transaction, plan: InboundPlan, deps: MxServiceDeps): Promise<SmtpReply> {
  const notKept = (await keepReplies(plan, deps)) ?? (await keepForOperator(transaction, plan, deps));
  if (notKept !== null) return notKept;
  const ledger = takenLedger(transaction.wire, deps.fingerprints);
  return await deliver(transaction, plan, ledger, deps.deliver);
}

/** Notes what was found. @returns the refusal when the sender's domain asks for it or can't be asked, else `null` */
async function authenticateTransaction(transaction: Transaction, deps: MxServiceDeps): Promise<SmtpReply | null> {
  const { envelope, wire, messageId } = transaction;
  if (deps.authenticate === null) return null;
  const { found, refusal, isUnfinished } = await deps.authenticate({ ...envelope, raw: unstuff(wire) });
  envelope.authentication = found;
  transaction.isProofUnfinished = isUnfinished;
  const { spf, dkim, dmarc, arc } = found;
  const detail = `spf=${spf} dkim=${dkim} dmarc=${dmarc} arc=${arc}`;
  const verdict = refusal === null ? "accept" : refusal === "dmarc_reject" ? "reject" : "defer";
  deps.trace?.add(messageId, { stage: "screen", verdict, detail });
  return refusal === null ? null : replyFor(refusal);
}

/** An alias of ours, signed in, wrote it, or the preview inbox: nothing needs to be looked up. */
const provenByUs = {
  spf: "pass",
  dkim: "none",
  dmarc: "none",
  arc: "none",
  isAligned: true,
  results: null,
} as const satisfies MessageAuthentication;

/**
 * An answer must find its way, so what stands behind the reply addresses is kept before the message leaves. Copies of aliases that
 * take no more new correspondents wait in the queue, so that they hold up no others; the sender keeps a message that has no others.
 */
async function keepReplies(plan: InboundPlan, { replyBook }: MxServiceDeps): Promise<SmtpReply | null> {
  const { aliases, keepFor, otherwiseTaken } = plan;
  try {
    const over = await replyBook.keep(aliases.flatMap(({ replies }) => (replies === undefined ? [] : [replies])));
    const isOver = ({ replies }: PlannedAlias) => replies !== undefined && over.has(replies.aliasId);
    if (over.size === 0) return null;
    if (aliases.every(isOver) && keepFor.length === 0 && !otherwiseTaken) return replyFor("rate_limited");
    for (const { deliveries } of aliases.filter(isOver)) for (const it of deliveries) it.isHeld = true;
    return null;
  } catch (thrown) {
    return replyForThrow(thrown);
  }
}

function traceArrival({ messageId, recipients, wire }: Transaction, trace: MailTrace | null): void {
  if (trace === null) return;
  for (const it of recipients) {
    const detail = it.kind === "alias" ? it.route.address : "address" in it ? it.address : it.kind;
    trace.add(messageId, { stage: "resolve", verdict: it.kind === "paused" ? "discard" : "accept", detail });
  }
  trace.add(messageId, { stage: "receive", verdict: "accept", detail: `${wire.length} bytes` });
}

function beginTransaction(mail: ReceivedMail, deps: MxServiceDeps): Transaction {
  const { mailFrom, secure, esmtp } = mail;
  const base = mailFrom.smtpUtf8 ? "UTF8SMTP" : "ESMTP";
  return {
    messageId: deps.random.uuid(),
    envelope: {
      envelopeFrom: mailFrom.envelopeFrom,
      helo: mail.helo,
      clientAddress: mail.clientAddress,
      protocol: esmtp ? (secure ? `${base}S` : base) : "SMTP",
      receivedAt: deps.clock.now(),
      // RFC 6152: who sends such bytes without saying so is more common than a peer that needs no telling.
      eightBit: mailFrom.eightBit || !isAscii(mail.wire),
      smtpUtf8: mailFrom.smtpUtf8,
    },
    recipients: mail.recipients,
    wire: mail.wire,
    isOurs: mail.isOurs ?? false,
  };
}

/** Each operator address keeps a message of its own. @returns `null` when all is kept, else the reply that says why not */
async function keepForOperator(
  transaction: Transaction,
  plan: InboundPlan,
  deps: MxServiceDeps,
): Promise<SmtpReply | null> {
  const { deliveries, bodies } = deps.operatorMail;
  for (const address of plan.keepFor) {
    const { envelope, wire } = transaction;
    const message = { id: deps.random.uuid(), envelope, sizeBytes: wire.length, createdAt: deps.clock.now() };
    try {
      await bodies.put(message.id, [wire]);
      await deliveries.keepForOperator(message, address);
    } catch (thrown) {
      await bodies.delete(message.id).catch(() => {});
      return replyForThrow(thrown);
    }
  }
  return null;
}
