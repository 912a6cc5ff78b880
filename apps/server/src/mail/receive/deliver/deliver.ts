/**
 * The last stage: every destination is asked at once, inside the sender's transaction; what stays open is committed to the
 * sealed spool before 250 is said (DESIGN "Flow of a message"). An attempt that runs on has its row committed already leased to
 * it; it is ended only while its destination can't have the message yet, when its account or destination holds too much memory.
 */
import type { ErrorCode } from "@kauke/contract";
import { AppError } from "../../../core/app-error.ts";
import type { DeliveryOutcome, DeliveryStore, MessageToKeep, OpenDelivery } from "../../../core/delivery/delivery.ts";
import type { InFlightMessages } from "../../../core/delivery/in-flight.ts";
import type { MessageBodies } from "../../../core/message/message.ts";
import type { Clock, Logger, Metrics } from "../../../core/ports.ts";
import type { SpoolPlace, SpoolSpace } from "../../../core/spool/spool-space.ts";
import type { BackgroundMemory } from "../../background-memory.ts";
import { untried } from "../../classify-reply.ts";
import type { HeldLeases } from "../../queue/held-leases.ts";
import { type FailureReporter, ownersBusiness } from "../../queue/report-failure.ts";
import type { RetryPlan } from "../../queue/retry-plan.ts";
import { destinationName } from "../../queue/shares/destination-name.ts";
import type { Attempt, RunningAttempts } from "../../queue/shares/running-attempts.ts";
import { reply, replyFor, type SmtpReply } from "../../reply.ts";
import type { ShutdownSignal } from "../../shutdown-signal.ts";
import type { Transaction } from "../../transaction.ts";
import { PIECE_BYTES } from "../../transport/smtp-client/smtp-channel.ts";
import type { AttemptSignal } from "../../transport/transport.ts";
import type { InboundPlan, PlannedDelivery } from "../inbound-plan.ts";
import { type AliasResult, type Answer, type DestinationState, decideAnswer } from "./decide-answer.ts";
import { endInFlight, type LeasedRow } from "./end-in-flight.ts";
import { isTakenBeside, reportGone, reportRefused } from "./report-refusals.ts";
import type { SpoolQuota } from "./spool-quota.ts";
import type { TakenLedger } from "./taken-ledger.ts";
import type { WaitingTransactions } from "./waiting-transactions.ts";

export interface DeliverDeps {
  /** Longest time a sender waits for destinations, ms. */
  budgetMs: number;
  /** Rings when the process closes: senders are answered soon, what is open goes into the spool. */
  shutdown: ShutdownSignal;
  /** Lease of an attempt that outlives its transaction, ms; extended until the attempt is over, however long that takes. */
  leaseMs: number;
  attempt(planned: PlannedDelivery, signal: AttemptSignal): Promise<DeliveryOutcome>;
  attempts: RunningAttempts;
  /** Settles an attempt that outlived its transaction. */
  settle(leased: { planned: PlannedDelivery; leaseToken: string; outcome: DeliveryOutcome }): Promise<void>;
  leases: HeldLeases;
  /** Attempts of answered transactions, until they are settled. */
  backgroundAttempts: Set<Promise<void>>;
  deliveries: Pick<DeliveryStore, "keep" | "extendLease">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  /** `null`: what is under way goes into the queue like all else. */
  inFlight: InFlightMessages | null;
  retries: RetryPlan;
  failures: FailureReporter;
  quota: Pick<SpoolQuota, "watch">;
  spoolSpace: Pick<SpoolSpace, "reserve">;
  waiting: WaitingTransactions;
  /** For messages whose sender is answered. */
  memory: BackgroundMemory;
  clock: Clock;
  makeToken(): string;
  logger: Logger;
  metrics: Metrics;
  /** Sees each destination's outcome as it comes; preview mode only. */
  observe?: (planned: PlannedDelivery, outcome: DeliveryOutcome) => void;
}

const closingBudgetMs = 500;

interface Running {
  planned: PlannedDelivery;
  /** `null`: nothing is tried, the outcome is known. */
  attempt: Attempt | null;
  promise: Promise<DeliveryOutcome>;
  outcome: DeliveryOutcome | null;
  /** Its row is kept: what becomes of it is settled, and told, there. */
  isKept: boolean;
}

/** A message in hand. `bytes.wire` is `null` once they were dropped: its destinations have it, or it is read from disk again. */
interface InHand {
  transaction: Transaction;
  bytes: { wire: Buffer | null };
  all: readonly Running[];
  ledger: TakenLedger;
}

/** @param plan what to do for every recipient @param ledger what destinations took in an earlier, unanswered try */
export async function deliver(
  transaction: Transaction,
  plan: InboundPlan,
  ledger: TakenLedger,
  deps: DeliverDeps,
): Promise<SmtpReply> {
  const running = plan.aliases.map((alias) =>
    alias.deliveries.map((planned) => start(planned, { sizeBytes: transaction.wire.length, ledger }, deps)),
  );
  const all = running.flat();
  evictable(all);
  const gone = await settledWithin(all, transaction, deps);
  try {
    const results = plan.aliases.map(
      (alias, index): AliasResult => ({
        destinations: (running[index] as Running[]).map(stateOf),
        ...(alias.refusedAs === undefined ? {} : { refusedAs: alias.refusedAs }),
      }),
    );
    const inHand = { transaction, bytes: { wire: transaction.wire }, all, ledger };
    const answer = await conclude(decideAnswer(results, plan.otherwiseTaken), inHand, deps);
    holdWhileNeeded(inHand.bytes, all, deps);
    return answer;
  } finally {
    gone();
  }
}

/** Makes the answer true, then says it. */
async function conclude(answer: Answer, inHand: InHand, deps: DeliverDeps): Promise<SmtpReply> {
  const { transaction, all } = inHand;
  if (answer.kind === "reject") {
    await reportGone(all, deps.failures);
    return refuse(answer.code, deps);
  }
  if (answer.kind === "keep") {
    const notKept = await keep(inHand, deps);
    if (notKept !== null) return replyFor(notKept);
  }
  await reportRefused(all, transaction.wire, deps.failures);
  deps.metrics.count("kauke_messages_total", { result: answer.kind === "keep" ? "kept" : "passed" });
  return reply(250, "2.0.0", `Ok ${transaction.messageId}`);
}

/**
 * Attempts that run on after the answer need the bytes until the message is sent. Then, or when somebody else needs the room more,
 * they are dropped: what is open is on disk.
 */
function holdWhileNeeded(bytes: InHand["bytes"], all: readonly Running[], { memory }: DeliverDeps): void {
  const sizeBytes = bytes.wire?.length ?? 0;
  const copies = new Set(all.map((it) => it.planned.copy));
  const drop = () => {
    bytes.wire = null;
    for (const copy of copies) copy.release();
  };
  // Of a small message all may still be in the socket's buffer.
  const isNeeded = (it: Running) => it.outcome === null && !(it.attempt?.isSent && sizeBytes > PIECE_BYTES);
  const open = all.filter(isNeeded);
  if (open.length === 0) return drop();
  const giveWay = () => {
    for (const it of open) if (it.outcome === null && it.attempt?.isSent === false) it.attempt.stop();
    drop();
  };
  const release = memory.hold({ bytes: sizeBytes, parties: () => open.flatMap(partiesOf), giveWay });
  const look = () => {
    if (open.some(isNeeded)) return;
    release();
    drop();
  };
  for (const it of open) {
    if (it.attempt !== null) it.attempt.onSent = look;
    void it.promise.then(look, look);
  }
}

function partiesOf({ planned, attempt }: Running): string[] {
  const { userId, target } = planned;
  const peer = attempt?.peer ?? null;
  const account = userId === null ? "operator" : `of ${userId}`;
  return [account, `to ${destinationName(target.destination)}`, ...(peer === null ? [] : [`at ${peer}`])];
}

/** A copy that has to give its memory back ends the attempts that use it. */
function evictable(all: readonly Running[]): void {
  for (const { planned } of all) {
    const { copy } = planned;
    copy.onEvicted ??= () => {
      for (const it of all)
        if (it.planned.copy === copy && it.outcome === null && !it.attempt?.isSent) it.attempt?.stop();
      copy.release();
    };
  }
}

function start(
  planned: PlannedDelivery,
  { sizeBytes, ledger }: { sizeBytes: number; ledger: TakenLedger },
  deps: DeliverDeps,
): Running {
  if (ledger.has(planned)) return track({ planned, attempt: null, promise: Promise.resolve({ kind: "taken" }) }, deps);
  const { userId: account, target } = planned;
  // The account has attempts enough: the delivery worker begins this one when it has a slot for the account.
  const later = { ...untried, notBefore: deps.clock.now() };
  if (!deps.attempts.hasRoom(account)) return track({ planned, attempt: null, promise: Promise.resolve(later) }, deps);
  const attempt = deps.attempts.start({ account, destination: destinationName(target.destination), sizeBytes });
  if (attempt === null) return track({ planned, attempt, promise: Promise.resolve(untried) }, deps);
  const promise = deps.attempt(planned, attempt).catch((thrown: unknown) => {
    deps.attempts.remove(attempt);
    throw thrown;
  });
  return track({ planned, attempt, promise }, deps);
}

function track(started: Omit<Running, "outcome" | "isKept">, deps: DeliverDeps): Running {
  const { planned, attempt } = started;
  const it: Running = { ...started, outcome: null, isKept: false };
  it.promise = started.promise.then((told) => {
    const outcome = attempt === null ? told : deps.attempts.finish(attempt, told);
    it.outcome = outcome;
    deps.observe?.(planned, outcome);
    deps.metrics.count("kauke_deliveries_total", { kind: planned.target.destination.kind, result: outcome.kind });
    return outcome;
  });
  return it;
}

function stateOf(it: Running): DestinationState {
  return it.outcome ?? { kind: "running" };
}

/**
 * Waits until every attempt is over, but no longer than the budget, and hardly at all once the process is closing or when memory
 * is short. @returns call when the transaction's bytes are given back
 */
async function settledWithin(
  all: readonly Running[],
  { wire }: Transaction,
  { budgetMs, shutdown, waiting }: DeliverDeps,
): Promise<() => void> {
  const timers: NodeJS.Timeout[] = [];
  let stopListening = () => {};
  let gone = () => {};
  const over = new Promise<void>((resolve) => {
    timers.push(setTimeout(resolve, shutdown.isShuttingDown ? closingBudgetMs : budgetMs));
    stopListening = shutdown.onShutdown(() => timers.push(setTimeout(resolve, closingBudgetMs)));
    gone = waiting.add({ bytes: wire.length, parties: () => all.flatMap(partiesOf), answer: resolve });
  });
  try {
    await Promise.race([Promise.all(all.map((it) => it.promise)), over]);
    return gone;
  } catch (thrown) {
    gone();
    throw thrown;
  } finally {
    stopListening();
    for (const timer of timers) clearTimeout(timer);
  }
}

function refuse(code: ErrorCode, deps: DeliverDeps): SmtpReply {
  deps.metrics.count("kauke_messages_total", { result: "refused" });
  return replyFor(code);
}

/** @returns why the message is not on stable storage; nothing of it is left then, and what was taken is remembered */
async function keep(inHand: InHand, deps: DeliverDeps): Promise<ErrorCode | null> {
  const { transaction, all, ledger } = inHand;
  try {
    const open = all.filter((it) => openRow(it, deps.clock.now(), deps) !== null);
    const parties = open.map((it) => it.planned);
    const place = await deps.spoolSpace.reserve(transaction.wire.length, parties);
    if (await store(inHand, place, deps)) return null;
    place.release();
    return "spool_failed";
  } catch (thrown) {
    const code = thrown instanceof AppError && thrown.code === "spool_quota" ? thrown.code : "spool_failed";
    keepFailed(thrown, all, ledger, deps);
    return code;
  }
}

/** @returns whether body and rows are on stable storage; if not, nothing of them is left and what was taken is remembered */
async function store(inHand: InHand, place: SpoolPlace, deps: DeliverDeps): Promise<boolean> {
  const { transaction, all, ledger } = inHand;
  const [only] = all;
  if (deps.inFlight !== null && only !== undefined && all.length === 1 && only.outcome === null)
    return await storeInFlight(inHand, only, { ...deps, inFlight: deps.inFlight, place });
  try {
    await deps.bodies.put(transaction.messageId, [transaction.wire]);
  } catch (thrown) {
    return keepFailed(thrown, all, ledger, deps);
  }
  // While the body was written a destination may have answered: look again, so that what it took is not kept as open.
  const now = deps.clock.now();
  const rows = all.map((it) => ({ it, row: openRow(it, now, deps) }));
  const open = rows.flatMap(({ it, row }) =>
    row === null ? [] : [{ it, row: isTakenBeside(it, all) ? ownersBusiness(row) : row }],
  );
  try {
    if (open.length > 0) {
      await deps.deliveries.keep(
        messageToKeep(transaction, now),
        open.map(({ row }) => row),
      );
    } else {
      await deps.bodies.delete(transaction.messageId).catch(() => {});
    }
  } catch (thrown) {
    await deps.bodies.delete(transaction.messageId).catch(() => {});
    return keepFailed(thrown, all, ledger, deps);
  }
  if (open.length > 0) place.stored();
  else place.release();
  for (const { it, row } of open) {
    it.isKept = true;
    if (row.aliasId !== null) deps.quota.watch(row.aliasId);
  }
  for (const { it, row } of open) if (row.lease !== null) runInBackground(finishLater(it, row.lease.token, deps), deps);
  return true;
}

function messageToKeep({ messageId, envelope, wire }: Transaction, now: Date): MessageToKeep {
  return { id: messageId, envelope, sizeBytes: wire.length, createdAt: now };
}

/** The usual way of what is kept while its one attempt runs: a file that is gone again when the destination has taken it. */
async function storeInFlight(
  { transaction, bytes, ledger }: InHand,
  it: Running,
  deps: DeliverDeps & { inFlight: InFlightMessages; place: SpoolPlace },
): Promise<boolean> {
  const { place } = deps;
  const now = deps.clock.now();
  const delivery = leasedRow(it, now, deps);
  const message = messageToKeep(transaction, now);
  try {
    await deps.inFlight.keep({ message, delivery, wire: transaction.wire });
  } catch (thrown) {
    return keepFailed(thrown, [it], ledger, deps);
  }
  // Refused meanwhile: that is reported with the answer.
  if (it.outcome?.kind === "refused") {
    await deps.inFlight.forget(transaction.messageId);
    place.release();
  } else {
    it.isKept = true;
    runInBackground(
      endInFlight({ message, delivery, bytes, place, planned: it.planned, outcome: it.promise }, deps),
      deps,
    );
  }
  return true;
}

function openRow(it: Running, now: Date, deps: DeliverDeps): OpenDelivery | null {
  const { planned, outcome } = it;
  if (outcome !== null && outcome.kind !== "deferred") return null;
  if (outcome === null) return leasedRow(it, now, deps);
  const notBefore = outcome.notBefore ?? deps.retries.next({ attempts: 1 }) ?? now;
  const attempts = outcome.isUntried ? 0 : 1;
  return { ...planned, attempts, notBefore, lease: null, lastFailure: outcome.failure };
}

function leasedRow({ planned }: Running, now: Date, { leaseMs, makeToken }: DeliverDeps): LeasedRow {
  const { id, messageId, aliasId, userId, target, createdAt } = planned;
  const until = new Date(now.getTime() + leaseMs);
  const lease = { token: makeToken(), until };
  // Due at once when the lease is gone: the next start frees it.
  return { id, messageId, aliasId, userId, target, createdAt, attempts: 0, notBefore: now, lease, lastFailure: null };
}

function runInBackground(finished: Promise<void>, { backgroundAttempts }: DeliverDeps): void {
  backgroundAttempts.add(finished);
  void finished.then(() => backgroundAttempts.delete(finished));
}

/** An attempt may stand in line or wait for a slow host longer than any lease: it is extended while we are at it. */
async function finishLater({ planned, promise }: Running, leaseToken: string, deps: DeliverDeps): Promise<void> {
  const lease = { id: planned.id, leaseToken };
  deps.leases.hold(lease);
  const heartbeat = setInterval(() => {
    const until = new Date(deps.clock.now().getTime() + deps.leaseMs);
    void deps.deliveries.extendLease(lease.id, lease.leaseToken, until).catch(() => {});
  }, deps.leaseMs / 3);
  try {
    const outcome = await promise;
    await deps.leases.settle(lease, (token) => deps.settle({ planned, leaseToken: token, outcome }));
  } catch (thrown) {
    deps.logger.error("delivery_settle_failed", { stack: nameOf(thrown) });
  } finally {
    deps.leases.release(lease);
    clearInterval(heartbeat);
  }
}

function keepFailed(thrown: unknown, all: readonly Running[], ledger: TakenLedger, deps: DeliverDeps): false {
  const isOverQuota = thrown instanceof AppError && thrown.code === "spool_quota";
  if (!isOverQuota) deps.logger.error("spool_failed", { stack: nameOf(thrown) });
  deps.metrics.count("kauke_messages_total", { result: isOverQuota ? "spool_quota" : "spool_failed" });
  // Read now: the bytes may be dropped before the last attempt is over.
  ledger.read();
  for (const it of all) {
    void it.promise.then((outcome) => {
      if (outcome.kind === "taken") ledger.remember(it.planned);
    });
  }
  return false;
}

const nameOf = (thrown: unknown): string =>
  thrown instanceof AppError ? thrown.code : thrown instanceof Error ? thrown.name : typeof thrown;
