/**
 * The path of a message through the MX, top to bottom: what happens at RCPT, and what happens between the final dot
 * and the reply. Each stage takes what the one before it accepted and returns a verdict; the first that does not accept
 * ends the message with its reply.
 */
import type { MailPath } from "@kauke/mail-rfc";
import type { MailTrace, TraceStep } from "../core/preview/preview-inbox.ts";
import { type DeliverNowDeps, deliverNow } from "./delivery/deliver-now.ts";
import {
  type ArrivalDeps,
  type Authenticate,
  arrive,
  authenticateSender,
  nameClient,
  screenMessage,
} from "./inbound/arrived-message.ts";
import type { MailLimits } from "./inbound/mail-limits.ts";
import { type MakeAliasesDeps, makeAliases } from "./inbound/make-aliases.ts";
import { type PrepareRepliesDeps, prepareReplies } from "./inbound/owner-replies.ts";
import {
  type KeepForOperatorDeps,
  keepForOperator,
  type PlanDeps,
  planDeliveries,
  type StoreBounceSendersDeps,
  type StoreReplyAddressesDeps,
  storeBounceSenders,
  storeReplyAddresses,
} from "./inbound/plan-deliveries.ts";
import { type TakeReportsDeps, takeReports } from "./inbound/reports/take-reports.ts";
import { type ResolveDeps, resolve } from "./inbound/resolve.ts";
import { takeSendTags } from "./inbound/send-tags.ts";
import { type TakeProbeMailDeps, takeProbeMail } from "./inbound/take-probe-mail.ts";
import { defer, replyFor, replyOf, type SmtpReply, type StageVerdict, type Verdict } from "./reply.ts";
import type { ReceivedMail } from "./smtp/session-handlers.ts";
import type { ResolvedRecipient, Transaction } from "./transaction.ts";

type Trace = Pick<MailTrace, "add">;

export interface MessagePathDeps {
  resolve: ResolveDeps;
  limits: MailLimits | null;
  /** `trace` records the verdict of each stage; `null` outside preview mode. */
  arrival: ArrivalDeps & { trace: Trace | null };
  authenticate: Authenticate | null;
  reports: TakeReportsDeps;
  probes: TakeProbeMailDeps;
  madeAliases: MakeAliasesDeps;
  ownerReplies: PrepareRepliesDeps;
  copies: PlanDeps & StoreReplyAddressesDeps & StoreBounceSendersDeps;
  operatorMail: KeepForOperatorDeps;
  delivery: DeliverNowDeps;
}

export interface RcptTo {
  path: MailPath;
  /** Whether MAIL FROM was `<>`: bounce addresses accept mail from the null sender only. */
  isNullSender: boolean;
  /** `undefined` for mail from this process. */
  clientAddress: string | undefined;
}

/** RCPT TO: an alias, a reply, bounce or probe address, or the operator; refused before any data if it is none. */
export async function resolveRecipient(
  { path, isNullSender, clientAddress }: RcptTo,
  { resolve: deps, limits }: Pick<MessagePathDeps, "resolve" | "limits">,
): Promise<Verdict<ResolvedRecipient>> {
  if (limits === null) return await resolve(path, isNullSender, deps);
  // Before the address is looked up, so that a client that probes for addresses learns nothing and causes no work.
  if (clientAddress !== undefined && !limits.takeRecipient(clientAddress)) return defer("rate_limited");
  return limits.judgeRecipient(await resolve(path, isNullSender, deps), clientAddress);
}

/** Receives a message from the final dot to the reply. @throws on failures only; refusals are replies */
export async function receiveMessage(mail: ReceivedMail, deps: Omit<MessagePathDeps, "resolve">): Promise<SmtpReply> {
  // Counts the message against the rates of its client, aliases and accounts.
  if (deps.limits?.takeMessage(mail) === false) return replyFor("rate_limited");
  const arrived = arrive(mail, deps.arrival);
  const note = notesTo(deps.arrival.trace, arrived.transaction);

  // Refuses mail loops and headers that are too large.
  const screened = note("screen", screenMessage(arrived));
  if (screened.verdict !== "accept") return replyOf(screened);

  // SPF, DKIM, DMARC and ARC: is the author who they seem to be, and what does the policy of their domain demand?
  const authenticated = note("screen", await authenticateSender(screened.value, deps.authenticate));
  if (authenticated.verdict !== "accept") return replyOf(authenticated);

  // The client's host name, for the Received field.
  const named = await nameClient(authenticated.value);

  // Bounces and absence notes to our bounce addresses, and complaints to abuse@, become notices and reports.
  const reported = note("screen", await takeReports(named, deps.reports));
  if (reported.verdict !== "accept") return replyOf(reported);

  // Mail to the address of a probe proves to the operator that mail works.
  const probed = note("screen", await takeProbeMail(reported.value, deps.probes));
  if (probed.verdict !== "accept") return replyOf(probed);

  // Unknown names of own domains become aliases now, since no check of the sender refuses the message any more.
  const made = note("resolve", await makeAliases(probed.value, deps.madeAliases));
  if (made.verdict !== "accept") return replyOf(made);

  // If the owner of an alias wrote to alias+person=host.example@domain, the recipient is that person from here on.
  const addressed = note("rewrite", await takeSendTags(made.value, deps.ownerReplies));
  if (addressed.verdict !== "accept") return replyOf(addressed);

  // Owners' messages to reply and send addresses: rewritten as the alias, checked and spooled. They leave at the end.
  const prepared = note("rewrite", await prepareReplies(addressed.value, deps.ownerReplies));
  if (prepared.verdict !== "accept") return replyOf(prepared);
  await using replies = prepared.value.replies;

  // One copy for each alias, with a new header and envelope sender, and one delivery for each of its destinations.
  const planned = note("rewrite", await planDeliveries(prepared.value, deps.copies));

  // The people behind the reply addresses in the copies are stored before any copy leaves, so that replies find them.
  const stored = note("rewrite", await storeReplyAddresses(planned.value, deps.copies));
  if (stored.verdict !== "accept") return replyOf(stored);

  // So is the sender, if the envelope sender of a copy stands for them by a token, so that bounces find them.
  const known = note("rewrite", await storeBounceSenders(stored.value, deps.copies));
  if (known.verdict !== "accept") return replyOf(known);

  // Mail to postmaster@ and abuse@ that no mailbox is set for is stored for `kauke doctor`.
  const operated = note("deliver", await keepForOperator(known.value, deps.operatorMail));
  if (operated.verdict !== "accept") return replyOf(operated);

  // Attempts every delivery while the sender waits; the reply promises only what was taken or is on disk.
  const reply = await deliverNow(operated.value.transaction, operated.value.plan, deps.delivery);
  if (reply.code !== 250) return reply;

  // Last, because a sender who is told to try again would have the owner's messages sent twice.
  return (await replies.enqueue()) ?? reply;
}

/** @returns a function that records the notes of a stage for the preview inbox, and returns the verdict */
function notesTo(trace: Trace | null, { messageId, recipients, wire }: Transaction) {
  for (const recipient of trace === null ? [] : recipients) {
    const named = "address" in recipient ? recipient.address : recipient.kind;
    const detail = recipient.kind === "alias" ? recipient.route.address : named;
    trace?.add(messageId, { stage: "resolve", verdict: recipient.kind === "paused" ? "discard" : "accept", detail });
  }
  trace?.add(messageId, { stage: "receive", verdict: "accept", detail: `${wire.length} bytes` });
  return <V extends StageVerdict<unknown>>(stage: TraceStep["stage"], verdict: V): V => {
    for (const detail of verdict.notes ?? []) trace?.add(messageId, { stage, verdict: verdict.verdict, detail });
    return verdict;
  };
}
