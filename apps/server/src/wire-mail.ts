/** Puts the mail path together: the MX service and the sender share transports, budget, retry plan and failure reports. */
import { sealArmored, sealedLength } from "@kauke/age/node-sealer";
import { readHeader } from "@kauke/mail-rfc";
import type { Config } from "./config.ts";
import type { DeliveryOutcome, LeasedDelivery } from "./core/delivery/delivery.ts";
import type { ConfirmationSettings } from "./core/destination/destination.ts";
import type { LeakGuard } from "./core/leak-guard/leak-guard.ts";
import type { Clock, Logger, Metrics, Random } from "./core/ports.ts";
import type { MailTrace } from "./core/preview/mail-trace.ts";
import { type MailLimitRules, mailLimitRules } from "./core/rate-limit/mail-limit-rules.ts";
import { rateLimitRules } from "./core/rate-limit/rate-limit-rules.ts";
import { takeLimit } from "./core/rate-limit/take-limit.ts";
import { checkSubmitter, smtpAuthenticator } from "./core/smtp-credential/authenticate.ts";
import type { SpoolSpace } from "./core/spool/spool-space.ts";
import { BackgroundMemory } from "./mail/background-memory.ts";
import { type DeliveryReports, deliveryReports } from "./mail/copy/delivery-reports.ts";
import type { CopyParts, ForwardCopy, ForwardSource, Sealer } from "./mail/copy/forward-copy.ts";
import { makeForwardCopy } from "./mail/copy/make-copy.ts";
import { messageSigner } from "./mail/copy/message-signer.ts";
import { newCorrespondents, ReplyBook } from "./mail/copy/reply-book.ts";
import type { RewriteRules } from "./mail/copy/rewrite.ts";
import { makeSendCopy } from "./mail/copy/send-copy.ts";
import { MemoryBudget } from "./mail/memory-budget.ts";
import { attempt, type Transports } from "./mail/queue/attempt.ts";
import { AttemptFindings } from "./mail/queue/attempt-findings.ts";
import { ConfirmationGuard } from "./mail/queue/confirmation-guard.ts";
import { Sender } from "./mail/queue/delivery-worker.ts";
import { HeldLeases } from "./mail/queue/held-leases.ts";
import { outcomeIfPaused, pausingGoneWebhooks } from "./mail/queue/pause-gone-webhook.ts";
import { failureReporter } from "./mail/queue/report-failure.ts";
import { retryPlan } from "./mail/queue/retry-plan.ts";
import { type SettleDeps, settle, settleUnreadable } from "./mail/queue/settle.ts";
import { DestinationShares } from "./mail/queue/shares/destination-shares.ts";
import { directLimits, RunningAttempts, relayLimits } from "./mail/queue/shares/running-attempts.ts";
import { authenticate, type ToAuthenticate } from "./mail/receive/authenticate/authenticate.ts";
import { BounceLimits } from "./mail/receive/bounce-limits.ts";
import { ClientNames } from "./mail/receive/client-names.ts";
import type { DeliverDeps } from "./mail/receive/deliver.ts";
import { limitInbound } from "./mail/receive/limit-inbound.ts";
import { MailLimits } from "./mail/receive/mail-limits.ts";
import { type MxServiceDeps, mxService } from "./mail/receive/mx-service.ts";
import type { PlannedDelivery } from "./mail/receive/plan-deliveries.ts";
import { RouteCache } from "./mail/receive/route-cache.ts";
import { SpoolQuota } from "./mail/receive/spool-quota.ts";
import { TakenFingerprints } from "./mail/receive/taken-fingerprints.ts";
import { WaitingTransactions } from "./mail/receive/waiting-transactions.ts";
import type { Resolver } from "./mail/resolver.ts";
import type { ClosingBell } from "./mail/shutdown-signal.ts";
import type { MxHandlers, SessionHandlers } from "./mail/smtp-server/session-handlers.ts";
import type { EnqueueDeps } from "./mail/submission/enqueue-message.ts";
import { submissionService } from "./mail/submission/submission-service.ts";
import { ownDomainTransport } from "./mail/transport/own-domain-transport.ts";
import type { AttemptSignal } from "./mail/transport/transport.ts";
import { webhookBodyMaker } from "./mail/transport/webhook/webhook-body-maker.ts";
import { webhookBodyWorker } from "./operate/workers/webhook-body-worker.ts";
import type { Store } from "./store/open-store.ts";

const copyShares = { all: 1, party: 1 / 4 };
const outlivingLeaseMs = 11 * 60_000;

export interface MailParts {
  config: Config;
  store: Store;
  transports: Transports;
  resolver: Resolver;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: Metrics;
  /** Preview mode only. */
  trace: MailTrace | null;
  closing: ClosingBell;
  leakGuard: LeakGuard;
  spoolSpace: SpoolSpace;
  /** `null`: mailboxes are not asked. */
  confirmation: ConfirmationSettings | null;
  /** The age sealer unless a test brings another. */
  sealer?: Sealer;
}

export interface WiredMail {
  handlers: MxHandlers;
  submission: SessionHandlers;
  sender: Sender;
  budget: MemoryBudget;
  /** `null`: off. */
  limits: MailLimits | null;
  /** Call when the transports are closed: every attempt has its outcome then, and the store must hear of it. */
  close(): Promise<void>;
}

export function wireMail(parts: MailParts): WiredMail {
  const { config, store, transports, clock } = parts;
  const { budget, memory, copyMemory } = messageMemory(parts);
  const attempts = new RunningAttempts(config.delivery.kind === "relay" ? relayLimits : directLimits);
  const signer = messageSigner(store.dkimKeys, () => clock.now());
  const webhookBodies = webhookBodyMaker(webhookBodyWorker());
  const isSealing = config.arcSeal;
  const reports = deliveryReports({ ...parts, ...store, reportingMta: config.mailHost });
  const retries = retryPlan(config.retrySchedule, () => clock.now(), Math.random);
  const reporter = failureReporter({ ...parts, notices: store.notices, bodies: store.bodies, reports, retries });
  const copyParts: CopyParts = {
    ...{ rules: rewriteRules(parts), signer, isSealing, copyMemory, webhookBodies },
    sealer: parts.sealer ?? { seal: sealArmored, sealedLength },
    onUnsealed: (alias) => reporter.reportUnsealed(alias),
  };
  const settleDeps: SettleDeps = {
    deliveries: store.deliveries,
    bodies: store.bodies,
    failures: pausingGoneWebhooks(reporter, { ...parts, aliases: store.aliases }),
    retries,
  };
  const outliving = new Set<Promise<void>>();
  const mailRules = mailLimitRules(config.limits);
  const limits = mailRules === null ? null : new MailLimits({ ...parts, rules: mailRules });
  const guards = makeGuards(parts, mailRules);
  const waiting = new WaitingTransactions(budget);
  const findings = new AttemptFindings({ ...parts, ...store });
  const replyBook = new ReplyBook(store.replyPaths, clock, config.limits === "off" ? null : newCorrespondents);
  const leases = new HeldLeases(parts);
  const shared = {
    ...{ copyParts, replyBook, settleDeps, leases, outliving, attempts },
    ...{ waiting, memory, reports, findings },
    ...guards,
  };
  const inbound = wireInbound(parts, shared);
  const handlers = limits === null ? inbound : limitInbound(inbound, limits);
  const { rules } = copyParts;
  const mail = ownDomainTransport({ ...rules, outside: transports.mail, inbound: handlers, budget });
  const transport = { ...transports, mail };
  const sender = wireSender(parts, { ...shared, transport });
  return {
    handlers,
    submission: wireSubmission(parts),
    sender,
    budget,
    limits,
    async close() {
      await webhookBodies.close();
      await Promise.all([sender.settled(), ...outliving]);
    },
  };
}

type SenderParts = Pick<InboundParts, "settleDeps" | "leases" | "attempts" | "memory" | "findings"> & Guards & Shared;

function wireSender(parts: MailParts, { transport, ...shared }: SenderParts & { transport: Transports }): Sender {
  const { store, clock, logger, metrics } = parts;
  const { copyParts, settleDeps, leases, attempts, memory, guard, shares, findings, replyBook } = shared;
  /** Retries to mailboxes whose refusals are counted. */
  const missing = new WeakSet<LeasedDelivery>();
  return new Sender({
    deliveries: store.deliveries,
    bodies: store.bodies,
    attempt: async (delivery, copy, signal) =>
      (await outcomeIfPaused(delivery, store.aliases)) ??
      (await outcomeIfHeld(replyBook, delivery, copy)) ??
      (await guard?.beforeRetry(delivery)) ??
      shares?.beforeRetry(delivery) ??
      findings.watch(
        { ...delivery, wasMissing: missing.has(delivery) },
        attempt(delivery, copy, transport, signal),
        signal,
      ),
    attempts,
    settle: (delivery, leaseToken, outcome) => settle(delivery, leaseToken, outcome, settleDeps),
    settleUnreadable: (row) => settleUnreadable(row, settleDeps),
    leases,
    makeCopy: (delivery, wire) =>
      copyFromSpool(delivery, wire, parts, { copyParts, noteMissing: () => void missing.add(delivery) }),
    memory,
    clock,
    logger,
    metrics,
  });
}

/** Two budgets of the same size: what is made of messages never takes the room of new mail. */
function messageMemory({ config, metrics }: MailParts) {
  const budget = new MemoryBudget(config.memoryBudgetBytes);
  const copyBudget = new MemoryBudget(config.memoryBudgetBytes);
  metrics.gauge("kauke_message_memory_bytes", () => budget.usedBytes + copyBudget.usedBytes);
  return { budget, memory: new BackgroundMemory(budget), copyMemory: new BackgroundMemory(copyBudget, copyShares) };
}

function rewriteRules({ config, store }: MailParts): RewriteRules {
  return {
    mailHost: config.mailHost,
    domains: new Set(config.domains),
    srsHash: (data) => store.keys.hmac("srs", Buffer.from(data)),
  };
}

interface Shared {
  copyParts: CopyParts;
  replyBook: ReplyBook;
}

interface InboundParts extends Guards, Pick<DeliverDeps, "outliving" | "attempts" | "leases" | "waiting" | "memory"> {
  settleDeps: SettleDeps;
  reports: DeliveryReports;
  findings: AttemptFindings;
}

/** What stands before an attempt; `null`: off. */
interface Guards {
  guard: ConfirmationGuard | null;
  shares: DestinationShares | null;
}

function makeGuards(parts: MailParts, mailRules: MailLimitRules | null): Guards {
  const { config, store, confirmation: settings } = parts;
  const limitRules = rateLimitRules(config.limits);
  return {
    guard: settings && new ConfirmationGuard({ ...parts, ...store, limitRules, settings }),
    shares: mailRules && new DestinationShares({ ...parts, rule: mailRules.mail_destination }),
  };
}

function wireInbound(parts: MailParts, shared: Shared & InboundParts): MxHandlers {
  const { config, store, transports, clock, random, logger, metrics } = parts;
  const { copyParts, settleDeps, reports, guard, shares, findings, replyBook } = shared;
  const { outliving, leases, attempts, waiting, memory } = shared;
  const { rules } = copyParts;
  const quota = new SpoolQuota(store.deliveries, clock);
  return mxService({
    resolve: {
      domains: rules.domains,
      routes: new RouteCache(store.aliases, clock),
      quota,
      spoolSpace: parts.spoolSpace,
      replyPaths: store.replyPaths,
      aliases: store.aliases,
      srsHash: rules.srsHash,
      now: () => clock.now(),
    },
    plan: {
      makeId: () => random.uuid(),
      postmaster: config.postmaster,
      makeCopy: ({ transaction, screened, ...rest }) =>
        makeForwardCopy({ ...transaction, header: screened.header, ...rest }, copyParts),
    },
    deliver: {
      budgetMs: config.answerSeconds * 1000,
      closing: parts.closing,
      leaseMs: outlivingLeaseMs,
      ...{ outliving, leases },
      attempt: (planned, signal) => firstAttempt(planned, signal, { transports, guard, shares, findings }),
      attempts,
      waiting,
      memory,
      settle: ({ planned, leaseToken, outcome }) =>
        settle({ ...planned, attempts: 1 }, leaseToken, outcome, settleDeps),
      deliveries: store.deliveries,
      bodies: store.bodies,
      underway: store.underway,
      retries: settleDeps.retries,
      failures: settleDeps.failures,
      quota,
      spoolSpace: parts.spoolSpace,
      clock,
      makeToken: () => random.uuid(),
      logger,
      metrics,
      ...(parts.trace === null ? {} : { observe: observer(parts.trace) }),
    },
    fingerprints: new TakenFingerprints((data) => store.keys.hmac("fingerprint", data), clock),
    authenticate: config.authentication ? authenticator(parts, copyParts) : null,
    // Where nothing is checked, the client is a host of the operator's in front of this one.
    clientNames: config.authentication ? new ClientNames({ resolver: parts.resolver }) : null,
    replyBook,
    takeBounce: takeBounceDeps(parts, { settleDeps, reports }),
    sendReply: writeAsDeps(parts),
    operatorMail: { deliveries: store.deliveries, bodies: store.bodies },
    clock,
    random,
    trace: parts.trace,
  });
}

function takeBounceDeps(
  { config, store, clock, random }: MailParts,
  { settleDeps, reports }: Pick<InboundParts, "settleDeps" | "reports">,
): MxServiceDeps["takeBounce"] {
  return {
    aliases: store.aliases,
    failures: settleDeps.failures,
    reports: config.authentication ? reports : null,
    limits: new BounceLimits({ clock, random }),
  };
}

const tooManyCorrespondents: DeliveryOutcome = {
  kind: "deferred",
  failure: { code: "try_later", enhancedStatus: "4.7.1" },
};

/** A copy whose reply addresses could not be kept when the message came leaves when they are. */
async function outcomeIfHeld(
  replyBook: ReplyBook,
  { aliasId, userId }: LeasedDelivery,
  { correspondents }: ForwardCopy,
): Promise<DeliveryOutcome | null> {
  if (aliasId === null || userId === null || correspondents.length === 0) return null;
  const over = await replyBook.keep([{ aliasId, userId, correspondents }]);
  return over.size === 0 ? null : tooManyCorrespondents;
}

/** A mailbox that is confirmed goes straight on. */
async function firstAttempt(
  planned: PlannedDelivery,
  signal: AttemptSignal,
  { transports, guard, shares, findings }: Guards & { transports: Transports; findings: AttemptFindings },
) {
  const { unconfirmed, isHeld = false } = planned;
  if (isHeld) return tooManyCorrespondents;
  const ended = unconfirmed === undefined ? null : await guard?.beforeAttempt(planned, unconfirmed);
  const held = ended ?? shares?.beforeAttempt(planned);
  return held ?? findings.watch(planned, attempt(planned, planned.copy, transports, signal), signal);
}

function writeAsDeps({ config, store, leakGuard, spoolSpace, clock, random, trace }: MailParts): EnqueueDeps {
  // An account that is gone is guarded too.
  const settingsOf = async (userId: string) =>
    (await store.users.settings(userId)) ?? { leakGuard: true, aliasInQuotes: false };
  const domains = new Set(config.domains);
  const limited = { ...store, clock, limitRules: rateLimitRules(config.limits) };
  const takeSubmissionLimit = (userId: string) => takeLimit(limited, "submission", { userId });
  const takeAutomaticLimit = (userId: string) => takeLimit(limited, "automatic_answer", { userId });
  const limits = { takeSubmissionLimit, takeAutomaticLimit };
  return { ...store, ...limits, domains, leakGuard, settingsOf, spoolSpace, clock, random, trace };
}

function wireSubmission(parts: MailParts): SessionHandlers {
  const { config, store, clock } = parts;
  const deps = { ...store, clock, limitRules: rateLimitRules(config.limits) };
  return submissionService({
    ...writeAsDeps(parts),
    authenticate: smtpAuthenticator(deps),
    checkSubmitter: (submitter) => checkSubmitter(store, submitter),
  });
}

const authenticationTimeoutMs = 5000;

function authenticator({ config, resolver }: MailParts, { signer }: CopyParts) {
  const deps = {
    resolver,
    mailHost: config.mailHost,
    trustedSealers: new Set(config.arcTrusted),
    timeoutMs: authenticationTimeoutMs,
    bodyHashes: signer.bodyHashes,
  };
  return (mail: ToAuthenticate) => authenticate(mail, deps);
}

function observer(trace: MailTrace): NonNullable<DeliverDeps["observe"]> {
  return ({ messageId, target: { destination } }, outcome) => {
    const detail = destination.kind === "mailbox" ? destination.address : destination.url;
    const verdict = outcome.kind === "taken" ? "taken" : `${outcome.kind} ${outcome.failure.code}`;
    trace.add(messageId, { stage: "deliver", verdict, detail });
  };
}

/** @returns `null` when the alias is gone */
async function copyFromSpool(
  delivery: LeasedDelivery,
  wire: Buffer,
  { store }: MailParts,
  { copyParts, noteMissing }: Pick<Shared, "copyParts"> & { noteMissing(): void },
) {
  const { aliasId, messageId, envelope, target } = delivery;
  if (target.purpose !== undefined) {
    const isReport = target.purpose === "report";
    return makeSendCopy({ envelope, wire, aliasAddress: target.aliasAddress, isReport }, copyParts.signer);
  }
  const route = aliasId === null ? null : await store.aliases.findRouteById(aliasId);
  if (aliasId !== null && route === null) return null;
  const { destination } = target;
  if (destination.kind === "mailbox" && route?.missing?.includes(destination.address) === true) noteMissing();
  const source: ForwardSource = {
    messageId,
    envelope,
    wire,
    header: readHeader(wire),
    aliasAddress: target.aliasAddress,
    aliasId,
    account: delivery.userId,
    webhookSecret: route?.webhookSecret ?? null,
    replyKey: route?.replyKey ?? null,
    // As it was when the message arrived; the alias may have other destinations by now.
    mayNameSender: target.reportTo !== undefined && target.isOneOfSeveral !== true,
    seal: route === null || route.sealKey === null ? null : { publicKey: route.sealKey, userId: route.userId },
  };
  return makeForwardCopy(source, copyParts);
}
