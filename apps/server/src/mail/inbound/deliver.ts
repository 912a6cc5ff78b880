/**
 * The last stage: every destination is asked at once, inside the sender's transaction; what stays open is committed to the
 * sealed spool before 250 is said (DESIGN "Flow of a message"). A running attempt is never aborted: its row is committed
 * already leased to it.
 */
import type { ErrorCode } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome, DeliveryStore, MessageToKeep, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { UnderwayMessages } from "../../core/delivery/underway.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger, Metrics } from "../../core/ports.ts";
import type { ClosingBell } from "../closing-bell.ts";
import { reply, replyFor, type SmtpReply } from "../reply.ts";
import type { FailureReporter } from "../report-failure.ts";
import type { RetryPlan } from "../retry-plan.ts";
import { type AliasResult, type Answer, type DestinationState, decideAnswer } from "./decide-answer.ts";
import { endUnderway, type LeasedRow } from "./end-underway.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { InboundPlan, PlannedDelivery } from "./plan-deliveries.ts";
import type { SpoolQuota } from "./spool-quota.ts";
import type { TakenLedger } from "./taken-ledger.ts";
import type { Transaction } from "./transaction.ts";

export interface DeliverDeps {
  /** Longest time a sender waits for destinations, ms. */
  budgetMs: number;
  /** Rings when the process closes: senders are answered soon, what is open goes into the spool. */
  closing: ClosingBell;
  /** Lease of an attempt that outlives its transaction, ms; extended until the attempt is over, however long that takes. */
  leaseMs: number;
  attempt(planned: PlannedDelivery): Promise<DeliveryOutcome>;
  /** Settles an attempt that outlived its transaction. */
  settle(leased: { planned: PlannedDelivery; leaseToken: string; outcome: DeliveryOutcome }): Promise<void>;
  /** Attempts of answered transactions, until they are settled. */
  outliving: Set<Promise<void>>;
  deliveries: Pick<DeliveryStore, "keep" | "extendLease">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  /** `null`: what is under way goes into the queue like all else. */
  underway: UnderwayMessages | null;
  retries: RetryPlan;
  failures: FailureReporter;
  quota: Pick<SpoolQuota, "watch">;
  budget: MemoryBudget;
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
  promise: Promise<DeliveryOutcome>;
  outcome: DeliveryOutcome | null;
}

export interface Delivered {
  answer: SmtpReply;
  /** Resolves when no attempt holds the message in memory any more. */
  over: Promise<void>;
}

/** @param plan what to do for every recipient @param ledger what destinations took in an earlier, unanswered try */
export async function deliver(
  transaction: Transaction,
  plan: InboundPlan,
  ledger: TakenLedger,
  deps: DeliverDeps,
): Promise<Delivered> {
  const running = plan.aliases.map((alias) => alias.deliveries.map((planned) => start(planned, ledger, deps)));
  await settledWithin(running.flat(), deps);
  const results = plan.aliases.map(
    (alias, index): AliasResult => ({
      destinations: (running[index] as Running[]).map(stateOf),
      ...(alias.refusedAs === undefined ? {} : { refusedAs: alias.refusedAs }),
    }),
  );
  const over = holdUntilOver(transaction, running.flat(), deps);
  const answer = decideAnswer(results, plan.otherwiseTaken);
  return { answer: await conclude(answer, { transaction, all: running.flat(), ledger }, deps), over };
}

/** Makes the answer true, then says it. */
async function conclude(
  answer: Answer,
  { transaction, all, ledger }: { transaction: Transaction; all: readonly Running[]; ledger: TakenLedger },
  deps: DeliverDeps,
): Promise<SmtpReply> {
  if (answer.kind === "reject") {
    await reportGone(all, deps);
    return refuse(answer.code, deps);
  }
  if (answer.kind === "keep") {
    const kept = await keep(transaction, all, ledger, deps);
    if (!kept) return replyFor("spool_failed");
  }
  await reportRefused(all, deps);
  deps.metrics.count("kauke_messages_total", { result: answer.kind === "keep" ? "kept" : "passed" });
  return reply(250, "2.0.0", `Ok ${transaction.messageId}`);
}

/** Attempts that outlive the transaction keep its bytes in memory, kept or not, and go on counting in the budget. */
async function holdUntilOver(
  transaction: Transaction,
  all: readonly Running[],
  { budget }: DeliverDeps,
): Promise<void> {
  if (all.every((it) => it.outcome !== null)) return;
  budget.hold(transaction.wire.length);
  await Promise.allSettled(all.map((it) => it.promise));
  budget.give(transaction.wire.length);
}

function start(planned: PlannedDelivery, ledger: TakenLedger, deps: DeliverDeps): Running {
  const promise = ledger.has(planned) ? Promise.resolve<DeliveryOutcome>({ kind: "taken" }) : deps.attempt(planned);
  const it: Running = { planned, promise, outcome: null };
  it.promise = promise.then((outcome) => {
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

/** Waits until every attempt is over, but no longer than the budget, and hardly at all once the process is closing. */
async function settledWithin(all: readonly Running[], { budgetMs, closing }: DeliverDeps): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  let stopListening = () => {};
  const over = new Promise<void>((resolve) => {
    timers.push(setTimeout(resolve, closing.isRung ? closingBudgetMs : budgetMs));
    stopListening = closing.onRing(() => timers.push(setTimeout(resolve, closingBudgetMs)));
  });
  await Promise.race([Promise.all(all.map((it) => it.promise)), over]);
  stopListening();
  for (const timer of timers) clearTimeout(timer);
}

function refuse(code: ErrorCode, deps: DeliverDeps): SmtpReply {
  deps.metrics.count("kauke_messages_total", { result: "refused" });
  return replyFor(code);
}

/** @returns whether body and rows are on stable storage; if not, nothing of them is left and what was taken is remembered */
async function keep(
  transaction: Transaction,
  all: readonly Running[],
  ledger: TakenLedger,
  deps: DeliverDeps,
): Promise<boolean> {
  const [only] = all;
  if (deps.underway !== null && only !== undefined && all.length === 1 && only.outcome === null)
    return await keepUnderway(transaction, only, ledger, { ...deps, underway: deps.underway });
  try {
    await deps.bodies.put(transaction.messageId, [transaction.wire]);
  } catch (thrown) {
    return keepFailed(thrown, all, ledger, deps);
  }
  // While the body was written a destination may have answered: look again, so that what it took is not kept as open.
  const now = deps.clock.now();
  const rows = all.map((it) => ({ it, row: openRow(it, now, deps) }));
  const open = rows.flatMap(({ it, row }) => (row === null ? [] : [{ it, row }]));
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
  for (const { row } of open) if (row.aliasId !== null) deps.quota.watch(row.aliasId);
  for (const { it, row } of open) if (row.lease !== null) outlive(finishLater(it, row.lease.token, deps), deps);
  return true;
}

function messageToKeep({ messageId, envelope, wire }: Transaction, now: Date): MessageToKeep {
  return { id: messageId, envelope, sizeBytes: wire.length, createdAt: now };
}

/** The usual way of what is kept while its one attempt runs: a file that is gone again when the destination has taken it. */
async function keepUnderway(
  transaction: Transaction,
  it: Running,
  ledger: TakenLedger,
  deps: DeliverDeps & { underway: UnderwayMessages },
): Promise<boolean> {
  const now = deps.clock.now();
  const delivery = leasedRow(it, now, deps);
  const kept = { message: messageToKeep(transaction, now), delivery, wire: transaction.wire };
  try {
    await deps.underway.keep(kept);
  } catch (thrown) {
    return keepFailed(thrown, [it], ledger, deps);
  }
  // Refused meanwhile: that is reported with the answer.
  if (it.outcome?.kind === "refused") await deps.underway.forget(transaction.messageId);
  else outlive(endUnderway({ ...kept, planned: it.planned, outcome: it.promise }, deps), deps);
  return true;
}

function openRow(it: Running, now: Date, deps: DeliverDeps): OpenDelivery | null {
  const { planned, outcome } = it;
  if (outcome !== null && outcome.kind !== "deferred") return null;
  if (outcome === null) return leasedRow(it, now, deps);
  const notBefore = deps.retries.next({ attempts: 1 }) ?? now;
  return { ...planned, attempts: 1, notBefore, lease: null, lastFailure: outcome.failure };
}

function leasedRow({ planned }: Running, now: Date, { leaseMs, makeToken }: DeliverDeps): LeasedRow {
  const { id, messageId, aliasId, userId, target, createdAt } = planned;
  const until = new Date(now.getTime() + leaseMs);
  const lease = { token: makeToken(), until };
  // Due at once when the lease is gone: the next start frees it.
  return { id, messageId, aliasId, userId, target, createdAt, attempts: 0, notBefore: now, lease, lastFailure: null };
}

function outlive(finished: Promise<void>, { outliving }: DeliverDeps): void {
  outliving.add(finished);
  void finished.then(() => outliving.delete(finished));
}

/** An attempt may stand in line or wait for a slow host longer than any lease: it is extended while we are at it. */
async function finishLater(it: Running, leaseToken: string, deps: DeliverDeps): Promise<void> {
  const extend = () => {
    const until = new Date(deps.clock.now().getTime() + deps.leaseMs);
    void deps.deliveries.extendLease(it.planned.id, leaseToken, until).catch(() => {});
  };
  const heartbeat = setInterval(extend, deps.leaseMs / 3);
  try {
    await deps.settle({ planned: it.planned, leaseToken, outcome: await it.promise });
  } catch (thrown) {
    deps.logger.error("delivery_settle_failed", { stack: nameOf(thrown) });
  } finally {
    clearInterval(heartbeat);
  }
}

function keepFailed(thrown: unknown, all: readonly Running[], ledger: TakenLedger, deps: DeliverDeps): false {
  deps.logger.error("spool_failed", { stack: nameOf(thrown) });
  deps.metrics.count("kauke_messages_total", { result: "spool_failed" });
  for (const it of all) {
    void it.promise.then((outcome) => {
      if (outcome.kind === "taken") ledger.remember(it.planned);
    });
  }
  return false;
}

const nameOf = (thrown: unknown): string =>
  thrown instanceof AppError ? thrown.code : thrown instanceof Error ? thrown.name : typeof thrown;

/** A destination that refused what a sibling or another alias took is the owner's business only. */
async function reportRefused(all: readonly Running[], deps: DeliverDeps): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind === "refused") await deps.failures.report(planned, outcome.failure);
  }
}

/** The sender hears of a refusal from us, the owner of nothing but what ends for good: their webhook. */
async function reportGone(all: readonly Running[], deps: DeliverDeps): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind !== "refused" || outcome.failure.code !== "webhook_gone") continue;
    const target = { ...planned.target, reportTo: undefined };
    await deps.failures.report({ ...planned, target }, outcome.failure);
  }
}
