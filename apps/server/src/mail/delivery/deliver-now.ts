/**
 * The delivery stage: attempts every destination concurrently while the sender waits, and commits what stays open to
 * the sealed spool before it answers 250 (ARCHITECTURE.md, "A message"). An attempt that outlives the transaction has
 * its row committed under a lease it holds. It may be stopped only while its destination can't have the message yet.
 */
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome, DeliveryStore, MessageToKeep } from "../../core/delivery/delivery.ts";
import type { InFlightMessages } from "../../core/delivery/in-flight.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { SpoolPlace, SpoolSpace } from "../../core/spool/spool-space.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import type { BackgroundMemory } from "../background-memory.ts";
import { untried } from "../classify-reply.ts";
import { type MailRefusal, reply, replyFor, type SmtpReply } from "../reply.ts";
import type { Transaction } from "../transaction.ts";
import { type AliasResult, type DestinationState, decideReply, type ReplyDecision } from "./decide-reply.ts";
import type { InboundPlan, PlannedDelivery } from "./delivery-plan.ts";
import { endInFlight } from "./end-in-flight.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";
import type { HeldLeases } from "./held-leases.ts";
import { leasedRow, openRow } from "./open-row.ts";
import { isTakenBySibling, reportGoneWebhooks, reportRefused } from "./report-refusals.ts";
import type { RetryPlan } from "./schedule.ts";
import { destinationName } from "./shares/destination-name.ts";
import { partiesOfDelivery, type RunningAttempt } from "./shares/running-attempt.ts";
import type { RunningAttempts } from "./shares/running-attempts.ts";
import type { SpoolQuota } from "./spool-quota.ts";
import type { TakenLedger } from "./taken-ledger.ts";
import type { WaitingTransactions } from "./waiting-transactions.ts";

export interface DeliverDeps {
  /** Milliseconds a sender waits for destinations at most. */
  budgetMs: number;
  /** Fires when the process shuts down: senders are then answered soon, and open deliveries go into the spool. */
  shutdown: ShutdownSignal;
  /** Milliseconds of the lease of an attempt that outlives its transaction; renewed until the attempt ends. */
  leaseMs: number;
  attempt(planned: PlannedDelivery, running: RunningAttempt): Promise<DeliveryOutcome>;
  attempts: RunningAttempts;
  /** Settles an attempt that outlived its transaction. */
  settle(leased: { planned: PlannedDelivery; leaseToken: string; outcome: DeliveryOutcome }): Promise<void>;
  leases: HeldLeases;
  /** Attempts of answered transactions, until they are settled. */
  backgroundAttempts: Set<Promise<void>>;
  deliveries: Pick<DeliveryStore, "keep" | "extendLease">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  /** Stores a message whose only attempt still runs; `null`: such messages go into the queue like all others. */
  inFlight: InFlightMessages | null;
  retries: RetryPlan;
  failures: FailureReporter;
  quota: Pick<SpoolQuota, "watch">;
  spoolSpace: Pick<SpoolSpace, "reserve">;
  waiting: WaitingTransactions;
  /** Memory budget of messages whose sender has been answered. */
  memory: BackgroundMemory;
  clock: Clock;
  makeToken(): string;
  logger: Logger;
  metrics: Metrics;
  /** Receives each destination's outcome as it arrives; preview mode only. */
  observe?: (planned: PlannedDelivery, outcome: DeliveryOutcome) => void;
}

const SHUTDOWN_BUDGET_MS = 500;

interface Running {
  planned: PlannedDelivery;
  /** The attempt; `null` when none is made because the outcome is known. */
  attempt: RunningAttempt | null;
  promise: Promise<DeliveryOutcome>;
  outcome: DeliveryOutcome | null;
  /** Whether the delivery has a row in the store: its outcome is then settled and reported through that row. */
  isKept: boolean;
}

/** A message in progress. `bytes.wire` is `null` once dropped from memory: the bytes were sent or are on disk. */
interface InProgress {
  transaction: Transaction;
  bytes: { wire: Buffer | null };
  all: readonly Running[];
  ledger: TakenLedger;
}

/** @param ledger what destinations took in an earlier try that ended in 451 */
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
  makeEvictable(all);
  const stopWaiting = await settledWithin(all, transaction, deps);
  try {
    const results = plan.aliases.map(
      (alias, index): AliasResult => ({
        destinations: (running[index] as Running[]).map(stateOf),
        ...(alias.refusedAs === undefined ? {} : { refusedAs: alias.refusedAs }),
      }),
    );
    const inProgress = { transaction, bytes: { wire: transaction.wire }, all, ledger };
    const answer = await conclude(decideReply(results, plan.otherwiseTaken), inProgress, deps);
    holdWhileNeeded(inProgress.bytes, all, deps);
    return answer;
  } finally {
    stopWaiting();
  }
}

/** Stores and reports what the reply promises, then returns it. */
async function conclude(answer: ReplyDecision, inProgress: InProgress, deps: DeliverDeps): Promise<SmtpReply> {
  const { transaction, all } = inProgress;
  if (answer.kind === "reject") {
    await reportGoneWebhooks(all, deps.failures);
    return refuse(answer.code, deps);
  }
  if (answer.kind === "enqueue") {
    const notKept = await keep(inProgress, deps);
    if (notKept !== null) return replyFor(notKept);
  }
  await reportRefused(all, transaction.wire, deps.failures);
  deps.metrics.count("kauke_messages_total", { result: answer.kind === "enqueue" ? "kept" : "passed" });
  return reply(250, "2.0.0", `Ok ${transaction.messageId}`);
}

/**
 * Keeps a message's bytes in memory while attempts that outlive the reply still have to send them. They are dropped
 * when all have sent them, or earlier when the memory is needed elsewhere: open deliveries are on disk.
 */
function holdWhileNeeded(bytes: InProgress["bytes"], all: readonly Running[], { memory }: DeliverDeps): void {
  const sizeBytes = bytes.wire?.length ?? 0;
  const copies = new Set(all.map((entry) => entry.planned.copy));
  const drop = () => {
    bytes.wire = null;
    for (const copy of copies) copy.release();
  };
  const isNeeded = (entry: Running) => entry.outcome === null && entry.attempt?.isPassedOn !== true;
  const open = all.filter(isNeeded);
  if (open.length === 0) return drop();
  const evict = () => {
    for (const entry of open) if (entry.outcome === null && entry.attempt?.isSent === false) entry.attempt.stop();
    drop();
  };
  const release = memory.hold({ bytes: sizeBytes, parties: () => open.flatMap(partiesOf), evict });
  const dropIfSent = () => {
    if (open.some(isNeeded)) return;
    release();
    drop();
  };
  for (const entry of open) {
    if (entry.attempt !== null) entry.attempt.onSent = dropIfSent;
    void entry.promise.then(dropIfSent, dropIfSent);
  }
}

function partiesOf({ planned, attempt }: Running): string[] {
  const { userId, target } = planned;
  const peer = attempt?.peer ?? null;
  const account = userId === null ? "operator" : `of ${userId}`;
  return [account, `to ${destinationName(target.destination)}`, ...(peer === null ? [] : [`at ${peer}`])];
}

/** Lets a copy be evicted from memory: the attempts that still have to send it are stopped. */
function makeEvictable(all: readonly Running[]): void {
  for (const { planned } of all) {
    const { copy } = planned;
    copy.onEvicted ??= () => {
      for (const entry of all)
        if (entry.planned.copy === copy && entry.outcome === null && !entry.attempt?.isSent) entry.attempt?.stop();
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
  const { userId: account } = planned;
  // The account already has its maximum of attempts: the delivery worker makes this one when the account has a free
  // slot.
  const later = { ...untried, notBefore: deps.clock.now() };
  if (!deps.attempts.hasRoom(account)) return track({ planned, attempt: null, promise: Promise.resolve(later) }, deps);
  const attempt = deps.attempts.start(partiesOfDelivery({ ...planned, sizeBytes }));
  if (attempt === null) return track({ planned, attempt, promise: Promise.resolve(untried) }, deps);
  const promise = deps.attempt(planned, attempt).catch((thrown: unknown) => {
    deps.attempts.remove(attempt);
    throw thrown;
  });
  return track({ planned, attempt, promise }, deps);
}

function track(started: Omit<Running, "outcome" | "isKept">, deps: DeliverDeps): Running {
  const { planned, attempt } = started;
  const entry: Running = { ...started, outcome: null, isKept: false };
  entry.promise = started.promise.then((reported) => {
    const outcome = attempt === null ? reported : deps.attempts.finish(attempt, reported);
    entry.outcome = outcome;
    deps.observe?.(planned, outcome);
    deps.metrics.count("kauke_deliveries_total", { kind: planned.target.destination.kind, result: outcome.kind });
    return outcome;
  });
  return entry;
}

function stateOf(entry: Running): DestinationState {
  return entry.outcome ?? { kind: "running" };
}

/**
 * Waits for all attempts: at most `budgetMs`, and only briefly at shutdown or when memory is short.
 * @returns function to call when the transaction's bytes have been released
 */
function settledWithin(
  all: readonly Running[],
  { wire }: Transaction,
  { budgetMs, shutdown, waiting }: DeliverDeps,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let open = all.length;
    let isOver = false;
    let lastTimer: NodeJS.Timeout | undefined;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(lastTimer);
      stopListening();
      return true;
    };
    const over = () => void (end() && resolve(stopWaiting));
    const failed = (thrown: unknown) => {
      if (!end()) return;
      stopWaiting();
      reject(thrown);
    };
    const timer = setTimeout(over, shutdown.isShuttingDown ? SHUTDOWN_BUDGET_MS : budgetMs);
    const stopListening = shutdown.onShutdown(() => (lastTimer = setTimeout(over, SHUTDOWN_BUDGET_MS)));
    const stopWaiting = waiting.add({ bytes: wire.length, parties: () => all.flatMap(partiesOf), answer: over });
    for (const { promise } of all) promise.then(() => void (--open === 0 && over()), failed);
    if (open === 0) over();
  });
}

function refuse(code: MailRefusal, deps: DeliverDeps): SmtpReply {
  deps.metrics.count("kauke_messages_total", { result: "refused" });
  return replyFor(code);
}

/** @returns `null`, or why open deliveries could not be stored: the sender's retry then skips what was taken */
async function keep(inProgress: InProgress, deps: DeliverDeps): Promise<MailRefusal | null> {
  const { transaction, all, ledger } = inProgress;
  try {
    const open = all.filter((entry) => openRow(entry, deps.clock.now(), deps) !== null);
    const parties = open.map((entry) => entry.planned);
    const place = await deps.spoolSpace.reserve(transaction.wire.length, parties);
    if (await store(inProgress, place, deps)) return null;
    place.release();
    return "spool_failed";
  } catch (thrown) {
    const code = thrown instanceof AppError && thrown.code === "spool_quota" ? thrown.code : "spool_failed";
    keepFailed(thrown, all, ledger, deps);
    return code;
  }
}

/** @returns whether body and open rows are stored; if not, nothing is, and the sender's retry skips what was taken */
async function store(inProgress: InProgress, place: SpoolPlace, deps: DeliverDeps): Promise<boolean> {
  const { transaction, all, ledger } = inProgress;
  const [only] = all;
  if (deps.inFlight !== null && only !== undefined && all.length === 1 && only.outcome === null)
    return await storeInFlight(inProgress, only, { ...deps, inFlight: deps.inFlight, place });
  try {
    await deps.bodies.put(transaction.messageId, [transaction.wire]);
  } catch (thrown) {
    return keepFailed(thrown, all, ledger, deps);
  }
  // A destination may have answered while the body was written: check again, so that a delivery it took is not stored
  // as open.
  const now = deps.clock.now();
  const rows = all.map((entry) => ({ entry, row: openRow(entry, now, deps) }));
  const open = rows.flatMap(({ entry, row }) =>
    row === null ? [] : [{ entry, row: isTakenBySibling(entry, all) ? withoutSenderReport(row) : row }],
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
  for (const { entry, row } of open) {
    entry.isKept = true;
    if (row.aliasId !== null) deps.quota.watch(row.aliasId);
  }
  for (const { entry, row } of open)
    if (row.lease !== null) runInBackground(finishLater(entry, row.lease.token, deps), deps);
  return true;
}

function messageToKeep({ messageId, envelope, wire }: Transaction, now: Date): MessageToKeep {
  return { id: messageId, envelope, sizeBytes: wire.length, createdAt: now };
}

/** The usual case, a single running attempt: stores a file that is deleted once the destination took the message. */
async function storeInFlight(
  { transaction, bytes, ledger }: InProgress,
  entry: Running,
  deps: DeliverDeps & { inFlight: InFlightMessages; place: SpoolPlace },
): Promise<boolean> {
  const { place } = deps;
  const now = deps.clock.now();
  const delivery = leasedRow(entry.planned, now, deps);
  const message = messageToKeep(transaction, now);
  try {
    await deps.inFlight.keep({ message, delivery, wire: transaction.wire });
  } catch (thrown) {
    return keepFailed(thrown, [entry], ledger, deps);
  }
  // The destination refused while the file was written: nothing stays stored, and the caller reports the refusal.
  if (entry.outcome?.kind === "refused") {
    await deps.inFlight.forget(transaction.messageId).finally(() => place.release());
  } else {
    entry.isKept = true;
    runInBackground(
      endInFlight({ message, delivery, bytes, place, planned: entry.planned, outcome: entry.promise }, deps),
      deps,
    );
  }
  return true;
}

function runInBackground(finished: Promise<void>, { backgroundAttempts }: DeliverDeps): void {
  backgroundAttempts.add(finished);
  void finished.finally(() => backgroundAttempts.delete(finished));
}

/** Settles an attempt that outlives the transaction. Its lease is renewed, since it may wait long for a slow host. */
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
  // The message is hashed now, since its bytes may be dropped before the last attempt ends.
  ledger.read();
  for (const entry of all) {
    entry.promise.then(
      (outcome) => outcome.kind === "taken" && ledger.remember(entry.planned),
      () => {},
    );
  }
  return false;
}

const nameOf = (thrown: unknown): string =>
  thrown instanceof AppError ? thrown.code : thrown instanceof Error ? thrown.name : typeof thrown;
