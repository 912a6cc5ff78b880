/**
 * The MX: resolves recipients at RCPT, and after the final dot passes the message through the stages listed below, in
 * order. Each stage has its own file.
 */

import type { MailTrace, TraceStep } from "../../core/preview/mail-trace.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { SmtpReply } from "../reply.ts";
import type { MxHandlers, ReceivedMail } from "../smtp/session-handlers.ts";
import type { Transaction } from "../transaction.ts";
import { replyOf } from "../verdict.ts";
import { type ArrivedMessage, transactionOf } from "./arrived-message.ts";
import { type AuthenticateSenderDeps, authenticateSender, nameClient } from "./authenticate-sender.ts";
import { CleanUps } from "./clean-ups.ts";
import type { ClientNames } from "./client-names.ts";
import { type DeliverMessageDeps, deliverMessage, enqueueReplies } from "./deliver/deliver-message.ts";
import { type KeepForOperatorDeps, keepForOperator } from "./keep-for-operator.ts";
import { type PlanDeps, planDeliveries } from "./plan-deliveries.ts";
import { type PrepareRepliesDeps, prepareReplies } from "./prepare-replies.ts";
import { type TakeReportsDeps, takeReports } from "./reports/take-reports.ts";
import { type ResolveDeps, resolve } from "./resolve.ts";
import { screenMessage } from "./screen.ts";
import { Stages } from "./stages.ts";
import { type StoreReplyAddressesDeps, storeReplyAddresses } from "./store-reply-addresses.ts";
import { takeSendTags } from "./take-send-tags.ts";

export interface MxServiceDeps
  extends AuthenticateSenderDeps,
    TakeReportsDeps,
    StoreReplyAddressesDeps,
    KeepForOperatorDeps,
    DeliverMessageDeps {
  resolve: ResolveDeps;
  plan: PlanDeps;
  /** Look-up of client names; `null` when it is switched off. */
  clientNames: Pick<ClientNames, "find"> | null;
  sendReply: PrepareRepliesDeps;
  clock: Clock;
  random: Random;
  /** Records each stage's verdict; preview mode only. */
  trace: Pick<MailTrace, "add"> | null;
}

export function mxService(deps: MxServiceDeps): MxHandlers {
  const { clientNames } = deps;
  const stages = stagesAfterDot(deps);
  return {
    resolve: (path, isNullSender) => resolve(path, isNullSender, deps.resolve),
    receive: (mail) => receive(mail, stages, deps),
    ...(clientNames === null ? {} : { clientName: (address: string) => clientNames.find(address) }),
  };
}

/** The stages after the final dot, in order, each with its name in the preview's trace. */
const stagesAfterDot = (deps: MxServiceDeps) =>
  Stages.begin<TraceStep["stage"], ArrivedMessage>()
    .next("screen", screenMessage)
    .next("screen", (message) => authenticateSender(message, deps))
    .next("screen", nameClient)
    .next("screen", (message) => takeReports(message, deps))
    .next("rewrite", (message) => takeSendTags(message, deps.sendReply))
    .next("rewrite", (message) => prepareReplies(message, deps.sendReply))
    .next("rewrite", (message) => planDeliveries(message, deps.plan))
    .next("rewrite", (message) => storeReplyAddresses(message, deps))
    .next("deliver", (message) => keepForOperator(message, deps))
    .next("deliver", (message) => deliverMessage(message, deps))
    .next("deliver", enqueueReplies);

async function receive(
  mail: ReceivedMail,
  stages: ReturnType<typeof stagesAfterDot>,
  deps: MxServiceDeps,
): Promise<SmtpReply> {
  const ends = new CleanUps();
  const { trace } = deps;
  try {
    const transaction = transactionOf(mail, deps);
    traceArrival(transaction, trace);
    const verdict = await stages.run({ transaction, mail, ends }, (stage, { verdict, notes = [] }) => {
      if (trace !== null) for (const detail of notes) trace.add(transaction.messageId, { stage, verdict, detail });
    });
    return verdict.verdict === "accept" ? verdict.value : replyOf(verdict);
  } finally {
    const ending = ends.run();
    if (ending !== null) await ending;
  }
}

function traceArrival({ messageId, recipients, wire }: Transaction, trace: Pick<MailTrace, "add"> | null): void {
  if (trace === null) return;
  for (const recipient of recipients) {
    const named = "address" in recipient ? recipient.address : recipient.kind;
    const detail = recipient.kind === "alias" ? recipient.route.address : named;
    trace.add(messageId, { stage: "resolve", verdict: recipient.kind === "paused" ? "discard" : "accept", detail });
  }
  trace.add(messageId, { stage: "receive", verdict: "accept", detail: `${wire.length} bytes` });
}
