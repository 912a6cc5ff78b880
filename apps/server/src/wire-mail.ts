/** Puts the mail path together: the MX service and the sender share transports, budget, retry plan and failure reports. */
import { sealArmored, sealedLength } from "@kauke/age/node-sealer";
import { readHeader } from "@kauke/mail-rfc";
import type { Config } from "./config.ts";
import type { LeasedDelivery } from "./core/delivery/delivery.ts";
import type { ConfirmationSettings } from "./core/destination/destination.ts";
import type { Clock, Logger, Metrics, Random } from "./core/ports.ts";
import type { MailTrace } from "./core/preview/mail-trace.ts";
import { mailLimitRules } from "./core/rate-limit/mail-limit-rules.ts";
import { rateLimitRules } from "./core/rate-limit/rate-limit-rules.ts";
import { takeLimit } from "./core/rate-limit/take-limit.ts";
import { checkSubmitter, smtpAuthenticator } from "./core/smtp-credential/authenticate.ts";
import type { ClosingBell } from "./mail/closing-bell.ts";
import { type DeliveryReports, deliveryReports } from "./mail/delivery-reports.ts";
import type { CopyParts, ForwardSource, Sealer } from "./mail/forward-copy.ts";
import { authenticate, type ToAuthenticate } from "./mail/inbound/authenticate.ts";
import { ConfirmationGuard } from "./mail/inbound/confirmation-guard.ts";
import type { DeliverDeps } from "./mail/inbound/deliver.ts";
import { limitInbound } from "./mail/inbound/limit-inbound.ts";
import { MailLimits } from "./mail/inbound/mail-limits.ts";
import { MemoryBudget } from "./mail/inbound/memory-budget.ts";
import { mxService } from "./mail/inbound/mx-service.ts";
import type { PlannedDelivery } from "./mail/inbound/plan-deliveries.ts";
import { partsReader } from "./mail/inbound/read-parts.ts";
import type { RewriteRules } from "./mail/inbound/rewrite.ts";
import { RouteCache } from "./mail/inbound/route-cache.ts";
import type { MxHandlers, SessionHandlers } from "./mail/inbound/session-handlers.ts";
import { SpoolQuota } from "./mail/inbound/spool-quota.ts";
import { TakenFingerprints } from "./mail/inbound/taken-fingerprints.ts";
import { makeForwardCopy } from "./mail/make-copy.ts";
import { messageSigner } from "./mail/message-signer.ts";
import { attempt, type Transports } from "./mail/outbound/attempt.ts";
import { ownDomainTransport } from "./mail/outbound/own-domain-transport.ts";
import type { Resolver } from "./mail/outbound/resolver.ts";
import { Sender } from "./mail/outbound/sender.ts";
import { type SettleDeps, settle } from "./mail/outbound/settle.ts";
import { webhookBodyMaker } from "./mail/outbound/webhook-body-maker.ts";
import { outcomeIfPaused, pausingGoneWebhooks } from "./mail/pause-gone-webhook.ts";
import { ReplyBook } from "./mail/reply-book.ts";
import { failureReporter } from "./mail/report-failure.ts";
import { retryPlan } from "./mail/retry-plan.ts";
import { makeSendCopy } from "./mail/send-copy.ts";
import { submissionService } from "./mail/submission/submission-service.ts";
import type { WriteAsDeps } from "./mail/write-as-alias.ts";
import { webhookBodyWorker } from "./operate/webhook-body-worker.ts";
import type { Store } from "./store/open-store.ts";

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
  const { config, store, transports, clock, logger, metrics } = parts;
  const budget = new MemoryBudget(config.memoryBudgetBytes);
  metrics.gauge("kauke_message_memory_bytes", () => budget.usedBytes);
  const signer = messageSigner(store.dkimKeys, () => clock.now());
  const webhookBodies = webhookBodyMaker(webhookBodyWorker());
  const isSealing = config.arcSeal;
  const reports = deliveryReports({ ...parts, ...store, reportingMta: config.mailHost });
  const reporter = failureReporter({ ...parts, notices: store.notices, reports });
  const copyParts: CopyParts = {
    ...{ rules: rewriteRules(parts), signer, isSealing, budget, webhookBodies },
    sealer: parts.sealer ?? { seal: sealArmored, sealedLength },
    onUnsealed: (alias) => reporter.reportUnsealed(alias),
  };
  const settleDeps: SettleDeps = {
    deliveries: store.deliveries,
    bodies: store.bodies,
    failures: pausingGoneWebhooks(reporter, { ...parts, aliases: store.aliases }),
    retries: retryPlan(config.retrySchedule, () => clock.now(), Math.random),
  };
  const outliving = new Set<Promise<void>>();
  const mailRules = mailLimitRules(config.limits);
  const limits = mailRules === null ? null : new MailLimits({ ...parts, rules: mailRules });
  const limitRules = rateLimitRules(config.limits);
  const guard =
    parts.confirmation && new ConfirmationGuard({ ...parts, ...store, limitRules, settings: parts.confirmation });
  const inbound = wireInbound(parts, { copyParts, settleDeps, outliving, reports, guard });
  const handlers = limits === null ? inbound : limitInbound(inbound, limits);
  const { rules } = copyParts;
  const mail = ownDomainTransport({ ...rules, outside: transports.mail, inbound: handlers });
  const sender = new Sender({
    deliveries: store.deliveries,
    bodies: store.bodies,
    attempt: async (delivery, copy) =>
      (await outcomeIfPaused(delivery, store.aliases)) ??
      (await guard?.beforeRetry(delivery)) ??
      attempt(delivery, copy, { ...transports, mail }),
    settle: (delivery, leaseToken, outcome) => settle(delivery, leaseToken, outcome, settleDeps),
    makeCopy: (delivery, wire) => copyFromSpool(delivery, wire, parts, { copyParts }),
    budget,
    clock,
    logger,
    metrics,
  });
  return {
    handlers,
    submission: wireSubmission(parts, copyParts),
    sender,
    budget,
    limits,
    async close() {
      await webhookBodies.close();
      await Promise.all([sender.settled(), ...outliving]);
    },
  };
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
}

type InboundParts = { settleDeps: SettleDeps; reports: DeliveryReports; guard: ConfirmationGuard | null } & Pick<
  DeliverDeps,
  "outliving"
>;

function wireInbound(parts: MailParts, shared: Shared & InboundParts): MxHandlers {
  const { config, store, transports, clock, random, logger, metrics } = parts;
  const { copyParts, settleDeps, outliving, reports, guard } = shared;
  const { budget, rules } = copyParts;
  const quota = new SpoolQuota(store.deliveries, clock);
  return mxService({
    resolve: {
      domains: rules.domains,
      routes: new RouteCache(store.aliases, clock),
      quota,
      replyPaths: store.replyPaths,
      aliases: store.aliases,
      srsHash: rules.srsHash,
      confirmation: guard,
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
      outliving,
      attempt: (planned) => firstAttempt(planned, transports, guard),
      settle: ({ planned, leaseToken, outcome }) =>
        settle({ ...planned, attempts: 1 }, leaseToken, outcome, settleDeps),
      deliveries: store.deliveries,
      bodies: store.bodies,
      underway: store.underway,
      retries: settleDeps.retries,
      failures: settleDeps.failures,
      quota,
      budget,
      clock,
      makeToken: () => random.uuid(),
      logger,
      metrics,
      ...(parts.trace === null ? {} : { observe: observer(parts.trace) }),
    },
    fingerprints: new TakenFingerprints((data) => store.keys.hmac("fingerprint", data), clock),
    authenticate: config.authentication ? authenticator(parts, copyParts) : null,
    replyBook: new ReplyBook(store.replyPaths, clock),
    takeBounce: { aliases: store.aliases, domains: rules.domains, failures: settleDeps.failures, reports },
    sendReply: writeAsDeps(parts, copyParts),
    operatorMail: { deliveries: store.deliveries, bodies: store.bodies },
    clock,
    random,
    trace: parts.trace,
  });
}

/** A mailbox that is confirmed goes straight on. */
async function firstAttempt(planned: PlannedDelivery, transports: Transports, guard: ConfirmationGuard | null) {
  const { unconfirmed } = planned;
  const ended = unconfirmed === undefined ? null : await guard?.beforeAttempt(planned, unconfirmed);
  return ended ?? attempt(planned, planned.copy, transports);
}

function writeAsDeps({ store, clock, random }: MailParts, { webhookBodies }: CopyParts): WriteAsDeps {
  // Unless they switched it off: an account that is gone is guarded too.
  const isLeakGuarded = async (userId: string) => (await store.users.settings(userId))?.leakGuard ?? true;
  return { ...store, readParts: partsReader(webhookBodies), isLeakGuarded, clock, random };
}

function wireSubmission(parts: MailParts, copyParts: CopyParts): SessionHandlers {
  const { config, store, clock } = parts;
  const deps = { ...store, clock, limitRules: rateLimitRules(config.limits) };
  return submissionService({
    ...writeAsDeps(parts, copyParts),
    authenticate: smtpAuthenticator(deps),
    checkSubmitter: (submitter) => checkSubmitter(store, submitter),
    takeSubmissionLimit: (userId) => takeLimit(deps, "submission", { userId }),
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
async function copyFromSpool(delivery: LeasedDelivery, wire: Buffer, { store }: MailParts, { copyParts }: Shared) {
  const { aliasId, messageId, envelope, target } = delivery;
  if (target.purpose !== undefined) {
    const isReport = target.purpose === "report";
    return makeSendCopy({ envelope, wire, aliasAddress: target.aliasAddress, isReport }, copyParts.signer);
  }
  const route = aliasId === null ? null : await store.aliases.findRouteById(aliasId);
  if (aliasId !== null && route === null) return null;
  const source: ForwardSource = {
    messageId,
    envelope,
    wire,
    header: readHeader(wire),
    aliasAddress: target.aliasAddress,
    aliasId,
    webhookSecret: route?.webhookSecret ?? null,
    replyKey: route?.replyKey ?? null,
    seal: route === null || route.sealKey === null ? null : { publicKey: route.sealKey, userId: route.userId },
  };
  return makeForwardCopy(source, copyParts);
}
