/** A message's first attempts, while its sender waits. Open deliveries are on disk before the reply is 250. */
import { AppError } from "../../core/app-error.ts";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { MailTrace } from "../../core/preview/preview-inbox.ts";
import type { BackgroundMemory } from "../../limits/bytes.ts";
import type { Logger, Metrics } from "../../runtime/ports.ts";
import { taken } from "../classify-reply.ts";
import { type MailRefusal, reply, replyFor, type SmtpReply } from "../reply.ts";
import type { Transaction } from "../transaction.ts";
import { type AttemptDeps, type CopySource, startAttempt } from "./attempt.ts";
import { countAttempt } from "./count-attempt.ts";
import { decideReply, type ReplyDecision } from "./decide-reply.ts";
import type { FailureReporter } from "./failures.ts";
import {
  FirstTry,
  type InboundPlan,
  type PlannedDelivery,
  reportGoneWebhooks,
  reportRefused,
  type TakenFingerprints,
  type TakenOfMessage,
} from "./first-try.ts";
import type { OpenDeliveries, TriedMessage } from "./open-deliveries.ts";
import type { MessageInMemory, WaitingSenders } from "./waiting-senders.ts";

export interface DeliverNowDeps {
  attempts: AttemptDeps;
  senders: WaitingSenders;
  open: OpenDeliveries;
  failures: FailureReporter;
  taken: TakenFingerprints;
  memory: BackgroundMemory;
  results: DeliveryResults;
}

export interface DeliveryResults {
  metrics: Metrics;
  logger: Logger;
  trace: Pick<MailTrace, "add"> | null;
}

export async function deliverNow(
  transaction: Transaction,
  plan: InboundPlan,
  deps: DeliverNowDeps,
): Promise<SmtpReply> {
  const takenBefore = deps.taken.of(transaction.wire);
  const tries = plan.aliases.map(({ deliveries }) =>
    deliveries.map((planned) => begin(planned, transaction.wire.length, takenBefore, deps)),
  );
  const all = tries.flat();
  const stopCounting = await deps.senders.wait(
    all.map(({ ended }) => ended),
    inMemory(all, transaction.wire.length),
  );
  try {
    const results = plan.aliases.map(({ refusedAs }, index) => ({
      destinations: (tries[index] ?? []).map(({ outcome }) => outcome ?? ({ kind: "running" } as const)),
      ...(refusedAs === undefined ? {} : { refusedAs }),
    }));
    const message: TriedMessage = { transaction, bytes: { wire: transaction.wire }, all };
    const decided = await conclude(decideReply(results, plan.otherwiseTaken), message, takenBefore, deps);
    holdWhileNeeded(message, deps.memory);
    return decided;
  } finally {
    stopCounting();
  }
}

function begin(planned: PlannedDelivery, sizeBytes: number, before: TakenOfMessage, deps: DeliverNowDeps): FirstTry {
  const begun = before.has(planned.target)
    ? taken
    : startAttempt({ ...planned, sizeBytes }, copyOf(planned), deps.attempts);
  const tried = new FirstTry(planned, begun);
  void tried.ended.then((outcome) => record(planned, outcome, deps.results));
  return tried;
}

/** All attempts of an alias share the copy. */
const copyOf = (planned: PlannedDelivery): CopySource => ({
  known: planned,
  open: async () => ({ copy: planned.copy, wasMissing: planned.wasMissing === true, release: () => {} }),
});

function record({ messageId, target }: PlannedDelivery, outcome: DeliveryOutcome, results: DeliveryResults): void {
  const { destination } = target;
  countAttempt(results.metrics, destination, outcome.kind);
  const detail = destination.kind === "mailbox" ? destination.address : destination.url;
  const verdict = outcome.kind === "taken" ? "taken" : `${outcome.kind} ${outcome.failure.code}`;
  results.trace?.add(messageId, { stage: "deliver", verdict, detail });
}

async function conclude(
  decision: ReplyDecision,
  message: TriedMessage,
  before: TakenOfMessage,
  deps: DeliverNowDeps,
): Promise<SmtpReply> {
  const { failures, results } = deps;
  const { transaction, all } = message;
  const count = (result: string) => results.metrics.count("kauke_messages_total", { result });
  if (decision.kind === "reject") {
    await reportGoneWebhooks(all, failures);
    count("refused");
    return replyFor(decision.code);
  }
  const notStored = decision.kind === "enqueue" ? await enqueue(message, before, deps) : null;
  if (notStored !== null) {
    count(notStored);
    return replyFor(notStored);
  }
  await reportRefused(all, transaction.wire, failures);
  count(decision.kind === "enqueue" ? "kept" : "passed");
  return reply(250, "2.0.0", `Ok ${transaction.messageId}`);
}

async function enqueue(
  message: TriedMessage,
  before: TakenOfMessage,
  { open, results }: DeliverNowDeps,
): Promise<MailRefusal | null> {
  try {
    await open.enqueue(message);
    return null;
  } catch (thrown) {
    const isOverQuota = thrown instanceof AppError && thrown.code === "spool_quota";
    if (!isOverQuota) results.logger.error("spool_failed", { stack: nameOf(thrown) });
    // Hashes the message now, since its bytes may be dropped before the last attempt ends.
    before.read();
    for (const { planned, ended } of message.all)
      void ended.then(({ kind }) => kind === "taken" && before.remember(planned.target));
    return isOverQuota ? "spool_quota" : "spool_failed";
  }
}

/** Drops the bytes when all attempts have sent them, or earlier for new mail: open deliveries are on disk. */
function holdWhileNeeded({ bytes, all }: TriedMessage, memory: BackgroundMemory): void {
  const copies = new Set(all.map(({ planned }) => planned.copy));
  const drop = () => {
    bytes.wire = null;
    for (const copy of copies) copy.release();
  };
  const needing = all.filter(({ needsBytes }) => needsBytes);
  if (needing.length === 0) return drop();
  const evict = () => {
    for (const { attempt } of needing) attempt?.stopUnlessSent();
    drop();
  };
  const parties = () => needing.flatMap(memoryPartiesOf);
  const release = memory.hold({ bytes: bytes.wire?.length ?? 0, parties, evict });
  const dropIfSent = () => {
    if (needing.some(({ needsBytes }) => needsBytes)) return;
    release();
    drop();
  };
  for (const { attempt, ended } of needing) {
    attempt?.onSent(dropIfSent);
    void ended.then(dropIfSent);
  }
}

/** A separate function, so that its result, which lives as long as the attempts, holds no message bytes. */
function inMemory(all: readonly FirstTry[], bytes: number): MessageInMemory {
  return { bytes, parties: () => all.flatMap(memoryPartiesOf) };
}

const memoryPartiesOf = ({ attempt }: FirstTry): readonly string[] => attempt?.memoryParties ?? [];

const nameOf = (thrown: unknown): string =>
  thrown instanceof AppError ? thrown.code : thrown instanceof Error ? thrown.name : typeof thrown;
