/** Assembles the mail path: the MX and the delivery worker share transports, budget, retry plan and failure reports. */

import { encryptArmored, encryptedLength } from "@kauke/age/node-encrypter";
import { limits } from "@kauke/contract";
import type { GoneWebhook } from "../core/alias/update-alias.ts";
import type { ConfirmationSettings } from "../core/destination/destination.ts";
import { AppearingAliases } from "../core/domain/appearing-aliases.ts";
import { mailDomains } from "../core/domain/mail-domains.ts";
import type { LeakGuard } from "../core/leak-guard.ts";
import type { MailTrace } from "../core/preview/preview-inbox.ts";
import { withOutcome } from "../core/probe/probe.ts";
import { checkSubmitter, smtpAuthenticator } from "../core/smtp-credential.ts";
import { SpoolQuota, type SpoolSpace } from "../core/spool/spool-space.ts";
import { giveBackLimit, takeWeightedLimit } from "../core/take-limit.ts";
import { retryPlan } from "../limits/backoff.ts";
import { BackgroundMemory, MemoryBudget } from "../limits/bytes.ts";
import { type MailLimitRules, mailLimitRules, rateLimitRules } from "../limits/named-limits.ts";
import { bounds, rowsPerDay } from "../limits/table.ts";
import type { Clock, Logger, Metrics, Random } from "../runtime/ports.ts";
import type { ShutdownSignal } from "../runtime/shutdown-signal.ts";
import type { Config } from "../settings/config.ts";
import type { Store } from "../store/open-store.ts";
import type { AttemptDeps, CheckDeps } from "./delivery/attempt.ts";
import { ConfirmationGuard } from "./delivery/confirmation-guard.ts";
import { DestinationHealth } from "./delivery/destination-health.ts";
import { failureReporter } from "./delivery/failures.ts";
import { TakenFingerprints } from "./delivery/first-try.ts";
import { InFlight, OpenDeliveries } from "./delivery/open-deliveries.ts";
import { HeldLeases, type SettleDeps } from "./delivery/settle.ts";
import { DestinationShares } from "./delivery/shares/destination-shares.ts";
import { directLimits, RunningAttempts, relayLimits } from "./delivery/shares/running-attempts.ts";
import { SpooledCopies } from "./delivery/spooled-copies.ts";
import { WaitingSenders } from "./delivery/waiting-senders.ts";
import { DeliveryWorker, type DeliveryWorkerDeps } from "./delivery/worker.ts";
import type { Resolver } from "./dns/resolver.ts";
import { authenticate, type ToAuthenticate } from "./inbound/authenticate/authenticate.ts";
import { ClientNames } from "./inbound/client-names.ts";
import type { OurCertificate } from "./inbound/judge-certificate.ts";
import { MailLimits } from "./inbound/mail-limits.ts";
import { BounceLimits } from "./inbound/reports/take-reports.ts";
import type { ResolveDeps } from "./inbound/resolve.ts";
import { RouteCache } from "./inbound/route-cache.ts";
import { submissionService } from "./inbound/submission.ts";
import { BounceSenders } from "./message/bounce-address.ts";
import { copyShares } from "./message/copy-memory.ts";
import { type DeliveryReports, deliveryReports } from "./message/delivery-reports.ts";
import { makeForwardCopy } from "./message/encrypted-copy.ts";
import type { CopyParts, Encrypter } from "./message/forward-copy.ts";
import { arcSigning, messageSigner } from "./message/message-signer.ts";
import type { Invitations, ReplaceInQuotes } from "./message/optional-features.ts";
import { ReplyBook } from "./message/reply-book.ts";
import type { RewriteRules } from "./message/rewrite.ts";
import type { WriteAsDeps } from "./message/write-as-alias.ts";
import { type MessagePathDeps, receiveMessage, resolveRecipient } from "./path.ts";
import type { MxHandlers, SessionHandlers } from "./smtp/session-handlers.ts";
import { ownDomainTransport } from "./transport/own-domain.ts";
import type { Transports } from "./transport/transport.ts";
import { webhookBodyMaker, webhookBodyWorker } from "./transport/webhook/webhook-body-maker.ts";

export interface MailParts {
  config: Config;
  store: Store & { pauseWebhook(gone: GoneWebhook): Promise<void> };
  queue: DeliveryWorkerDeps["queue"] | null;
  transports: Transports;
  resolver: Resolver;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: Metrics;
  certificate: { current(): OurCertificate };
  trace: Pick<MailTrace, "add"> | null;
  shutdown: ShutdownSignal;
  leakGuard: LeakGuard;
  invitations: Invitations;
  replaceInQuotes: ReplaceInQuotes;
  spoolSpace: SpoolSpace;
  /** Number of processes among which limits counted in memory are divided; default: 1. */
  processes?: number;
  confirmation: ConfirmationSettings | null;
  encrypter?: Encrypter | undefined;
}

export interface WiredMail {
  handlers: MxHandlers;
  submission: SessionHandlers;
  deliveryWorker: DeliveryWorker | null;
  budget: MemoryBudget;
  limits: MailLimits | null;
  /** Call after the transports are closed, when every attempt has ended. */
  close(): Promise<void>;
}

export function wireMail(parts: MailParts): WiredMail {
  const { config, store, transports, clock, logger, metrics, processes = 1 } = parts;
  const { budget, memory, copyMemory } = messageMemory(parts);
  const webhookBodies = webhookBodyMaker(webhookBodyWorker());
  const reports = deliveryReports({ ...parts, ...store, reportingMta: config.mailHost });
  const isByOneHost = config.delivery.kind === "relay" || config.delivery.kind === "provider";
  const attemptLimits = isByOneHost ? relayLimits : directLimits;
  const running = new RunningAttempts(attemptLimits, undefined, processes);
  const signsArcFor = arcSigning(config.arcSigning, (domain) => running.providerOf(domain));
  const { copyParts, settling } = copyAndSettle(parts, { copyMemory, webhookBodies, reports, signsArcFor });
  const mailRules = mailLimitRules(config.limits, processes);
  const limits = mailRules === null ? null : new MailLimits({ ...parts, rules: mailRules });
  const newRules = config.limits === "off" ? null : rowsPerDay(bounds.newCorrespondents, processes);
  const replyBook = new ReplyBook(store.replyPaths, clock, newRules);
  const checks = checksOf(parts, mailRules, replyBook);
  const health = new DestinationHealth({ ...parts, ...store });
  const attempts: AttemptDeps = { running, checks, transports, health, clock, logger };
  const leases = new HeldLeases({ ...parts, deliveries: store.deliveries, settling });
  const quota = new SpoolQuota(store.deliveries, clock);
  const open = openDeliveries(parts, { leases, quota, settling });
  const shared: Shared = { copyParts, replyBook, settling, reports, budget, memory, attempts, quota, open, limits };
  const handlers = wireInbound(parts, shared);
  const onlyReplies = config.forwarding.kind !== "engine";
  const own = { ...copyParts.rules, inbound: handlers, onlyReplies, budget };
  const mail = ownDomainTransport(transports.mail, own);
  const copies = new SpooledCopies({ ...parts, ...store, copyParts, memory });
  const retries = { ...attempts, transports: { ...transports, mail } };
  const { queue } = parts;
  const deliveryWorker =
    queue === null
      ? null
      : new DeliveryWorker({ queue, attempts: retries, copies, leases, settling, clock, logger, metrics });
  return {
    handlers,
    submission: wireSubmission(parts),
    deliveryWorker,
    budget,
    limits,
    async close() {
      await webhookBodies.close();
      await Promise.all([deliveryWorker?.settled(), open.settled()]);
    },
  };
}

interface CopyAndSettleParts extends Pick<CopyParts, "copyMemory" | "webhookBodies" | "signsArcFor"> {
  reports: DeliveryReports;
}

function copyAndSettle(
  parts: MailParts,
  { copyMemory, webhookBodies, reports, signsArcFor }: CopyAndSettleParts,
): { copyParts: CopyParts; settling: SettleDeps } {
  const { config, store, clock } = parts;
  const { deliveries, bodies, notices, pauseWebhook, contacts } = store;
  const retries = retryPlan(config.retrySchedule, () => clock.now(), Math.random);
  const failures = failureReporter({ ...parts, notices, bodies, pauseWebhook, reports, retries });
  const copyParts: CopyParts = {
    rules: rewriteRules(parts),
    invitations: parts.invitations,
    // The provider signs with its own key, whose record is in DNS instead of ours.
    signer:
      config.delivery.kind === "provider"
        ? messageSigner([], () => clock.now())
        : messageSigner(store.dkimKeys, () => clock.now(), store.accountDomainKeys),
    signsArcFor,
    copyMemory,
    webhookBodies,
    encrypter: parts.encrypter ?? { encrypt: encryptArmored, encryptedLength },
    onEncryptionFailed: (alias) => failures.reportNotEncrypted(alias),
  };
  // A result that can't be noted must not hold back the delivery.
  const onProbeOutcome: SettleDeps["onProbeOutcome"] = async ({ aliasAddress: address }, outcome) =>
    void (await store.mailProbes.change({ address }, (probe) => withOutcome(probe, outcome)).catch(() => null));
  const onComposedTaken = (userId: string, recipient: string) =>
    contacts.remember(userId, [recipient], { now: clock.now(), max: limits.contactsMax }).catch(() => {});
  return { copyParts, settling: { deliveries, bodies, failures, retries, onProbeOutcome, onComposedTaken } };
}

/** Separate budgets for messages and for what is made of them, so that new mail always has its own. */
function messageMemory({ config, metrics }: MailParts) {
  const budget = new MemoryBudget(config.memoryBudgetBytes);
  const copyBudget = new MemoryBudget(config.memoryBudgetBytes);
  metrics.gauge("kauke_message_memory_bytes", () => budget.usedBytes + copyBudget.usedBytes);
  const memory = new BackgroundMemory(budget);
  const copyMemory = new BackgroundMemory(copyBudget, copyShares);
  return { budget, memory, copyMemory };
}

function rewriteRules({ config, store }: MailParts): RewriteRules {
  return {
    mailHost: config.mailHost,
    domains: mailDomains(config.domains, store.provenDomains),
    srsHash: (data) => store.keys.hmac("srs", data),
  };
}

interface Shared {
  copyParts: CopyParts;
  replyBook: ReplyBook;
  settling: SettleDeps;
  reports: DeliveryReports;
  budget: MemoryBudget;
  memory: BackgroundMemory;
  attempts: AttemptDeps;
  quota: SpoolQuota;
  open: OpenDeliveries;
  limits: MailLimits | null;
}

function checksOf(parts: MailParts, mailRules: MailLimitRules | null, replyBook: ReplyBook): CheckDeps {
  const { config, store, confirmation: settings } = parts;
  const limitRules = rateLimitRules(config.limits);
  return {
    aliases: store.aliases,
    domains: mailDomains(config.domains, store.provenDomains),
    replyBook,
    guard: settings && new ConfirmationGuard({ ...parts, ...store, ask: { ...parts, ...store, limitRules }, settings }),
    shares: mailRules && new DestinationShares({ ...parts, rule: mailRules.mail_destination, hashKey: hashKey(parts) }),
  };
}

function openDeliveries(
  parts: MailParts,
  { leases, quota, settling }: { leases: HeldLeases; quota: SpoolQuota; settling: SettleDeps },
): OpenDeliveries {
  const { store, spoolSpace: space, clock, random } = parts;
  const { inFlight: files } = store;
  const inFlight = files === null ? null : new InFlight({ ...parts, files, leases, quota });
  return new OpenDeliveries({ store, inFlight, space, quota, leases, retries: settling.retries, clock, random });
}

/** Rate limits count addresses by keyed hashes. */
const hashKey = ({ store }: MailParts): Buffer => store.keys.hmac("abuse", "keys of limits");

function wireInbound(parts: MailParts, shared: Shared): MxHandlers {
  const { config, store, clock, random } = parts;
  const { copyParts, reports, replyBook, quota, settling } = shared;
  const senderRules = config.limits === "off" ? null : rowsPerDay(bounds.newBounceSenders, parts.processes);
  const appearing = appearingAliases(parts);
  const resolve = resolveDeps(parts, { ...copyParts.rules, quota, appearing });
  const { sentAnswers, notices, destinations } = store;
  const hashMark = (text: string) => store.keys.hmac("fingerprint", text).toString("hex");
  const ownerReplies = { write: writeAsDeps(parts), sentAnswers, notices, destinations, hashMark };
  const deps: MessagePathDeps = {
    resolve,
    limits: shared.limits,
    arrival: { clock, random, trace: parts.trace },
    authenticate: config.authentication ? authenticator(parts, copyParts) : null,
    reports: {
      resolve,
      aliases: store.aliases,
      failures: settling.failures,
      reports: config.authentication ? reports : null,
      limits: new BounceLimits({ ...parts, hashKey: hashKey(parts) }),
      ownerReplies,
    },
    probes: {
      probes: store.mailProbes,
      destinations,
      queue: { ...store, clock, random },
      mailHost: config.mailHost,
      domains: copyParts.rules.domains,
      certificate: () => parts.certificate.current(),
    },
    madeAliases: { appearing, resolve },
    ownerReplies,
    copies: {
      makeId: () => random.uuid(),
      postmaster: config.postmaster,
      makeCopy: ({ transaction, screened, ...rest }) =>
        makeForwardCopy({ ...transaction, header: screened.header, ...rest }, copyParts),
      replyBook,
      bounceSenders: new BounceSenders(store.bounceSenders, clock, senderRules),
    },
    operatorMail: { operatorMail: store, clock, random },
    delivery: {
      ...shared,
      senders: new WaitingSenders({ ...shared, budgetMs: config.answerSeconds * 1000, shutdown: parts.shutdown }),
      failures: settling.failures,
      taken: new TakenFingerprints((data) => store.keys.hmac("fingerprint", data), clock),
      results: parts,
    },
  };
  // Without authentication the client is another host of the operator, so its name is not looked up.
  const clientNames = config.authentication ? new ClientNames({ resolver: parts.resolver }) : null;
  return {
    resolve: (path, isNullSender, clientAddress) => resolveRecipient({ path, isNullSender, clientAddress }, deps),
    receive: (mail) => receiveMessage(mail, deps),
    ...(clientNames === null ? {} : { clientName: (address: string) => clientNames.find(address) }),
  };
}

function appearingAliases(parts: MailParts): AppearingAliases {
  const { config, store } = parts;
  const limitRules = rateLimitRules(config.limits);
  return new AppearingAliases({
    ...parts,
    ...store,
    limitRules,
    mailDomains: mailDomains(config.domains, store.provenDomains),
  });
}

function resolveDeps(
  { config, store, spoolSpace, clock }: MailParts,
  { srsHash, quota, appearing }: Pick<RewriteRules, "srsHash"> & { quota: SpoolQuota; appearing: AppearingAliases },
): ResolveDeps {
  const { aliases, replyPaths, bounceSenders, mailProbes: probes } = store;
  const routes = new RouteCache(aliases, clock);
  const stores = { replyPaths, aliases, bounceSenders, probes };
  const spool = { quota, space: spoolSpace };
  const mayMissDomains = () => !store.provenDomains.isCurrent();
  const domains = mailDomains(config.domains, store.provenDomains);
  return { ...stores, domains, mayMissDomains, routes, appearing, spool, srsHash, now: () => clock.now() };
}

function writeAsDeps(parts: MailParts): WriteAsDeps {
  const { config, store, leakGuard, invitations, replaceInQuotes, spoolSpace, clock, random, trace } = parts;
  const domains = mailDomains(config.domains, store.provenDomains);
  const limited = { ...store, clock, limitRules: rateLimitRules(config.limits) };
  const sendingLimits: WriteAsDeps["sendingLimits"] = {
    take: (limit, recipients) => takeWeightedLimit(limited, limit, recipients),
    giveBack: (limit, recipients) => giveBackLimit(limited, limit, recipients),
  };
  const { aliases, replyPaths, deliveries, bodies } = store;
  return {
    aliases,
    replyForms: { aliases, replyPaths, domains },
    domains,
    spool: { deliveries, bodies, spoolSpace, clock, random },
    features: { leakGuard, invitations, replaceInQuotes },
    sendingLimits,
    users: store.users,
    trace,
  };
}

function wireSubmission(parts: MailParts): SessionHandlers {
  const { config, store, clock } = parts;
  const deps = { ...store, clock, limitRules: rateLimitRules(config.limits) };
  return submissionService({
    write: writeAsDeps(parts),
    aliases: store.aliases,
    authenticate: smtpAuthenticator(deps),
    checkSubmitter: (submitter) => checkSubmitter(store, submitter),
  });
}

function authenticator({ config, resolver }: MailParts, { signer }: CopyParts) {
  const deps = {
    resolver,
    mailHost: config.mailHost,
    trustedArcSigners: new Set(config.arcTrusted),
    timeoutMs: bounds.messageChecks.timeoutMs,
    bodyHashes: signer.bodyHashes,
  };
  return (mail: ToAuthenticate) => authenticate(mail, deps);
}
