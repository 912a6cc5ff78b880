/**
 * kill -9 loses nothing that was acknowledged: twenty sessions send numbered messages, the process is killed at moments
 * of all kinds, and at the end the destination's record is compared with the sender's.
 */
import { explainRepeats } from "@kauke/testkit/kill/compare-records";
import { dice } from "@kauke/testkit/kill/kill-moments";
import { type KillRoundsResult, killRounds, type RoundKind } from "@kauke/testkit/kill/kill-rounds";
import { killWorkerRounds, type WorkerRound } from "@kauke/testkit/kill/kill-workers";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const SESSIONS = 20;
const ACKNOWLEDGED = isLongRun ? ([20, 90] as const) : ([10, 60] as const);
const TIMEOUT_MS = isLongRun ? 3_600_000 : 600_000;
const DRAIN_TIMEOUT_MS = isLongRun ? 600_000 : 150_000;
const RETRY_SECONDS = isLongRun ? 4 : 2;
/**
 * Seconds until a retry: long enough that a message deferred at the last kill is still queued when the spool is
 * counted.
 */
const RETRY_SECONDS_WHILE_DOWN = isLongRun ? 60 : 8;

afterAll(removeDataDirs);

/** Kinds of every ten rounds: six are mixed, and in one the server is killed while it starts. */
const tenRounds = [
  "mixed",
  "down",
  "killed while starting",
  "mixed",
  "mixed",
  "up",
  "mixed",
  "mixed",
  "down",
  "mixed",
] as const;
/** Kinds of the rounds in `npm test`: the destination is down in a test of its own. */
const fewRounds: readonly RoundKind[] = ["mixed", "killed while starting"];
const planOf = (rounds: number): RoundKind[] =>
  Array.from({ length: rounds }, (_, round) => tenRounds[round % tenRounds.length] as RoundKind);

/** Process killed in each of ten rounds with mail workers; up to two workers are killed between two owners. */
const tenVictims = [
  "worker",
  "owner",
  "owner",
  "worker",
  "worker",
  "owner",
  "worker",
  "owner",
  "worker",
  "owner",
] as const;
const withVictims = (plan: readonly RoundKind[]): WorkerRound[] =>
  plan.map((kind, round) => ({ kind, victim: tenVictims[round % tenVictims.length] as WorkerRound["victim"] }));

/**
 * An acknowledged message may arrive twice only if a kill fell between the destination's reply and our record of it.
 */
function expectNothingLost(name: string, result: KillRoundsResult, plan: readonly RoundKind[]): void {
  const loaded = plan.filter((kind) => kind !== "killed while starting").length;
  const { bySender, byServer, unexplained } = explainRepeats(result, result.kills);
  const unanswered = sum(result.unanswered.values());
  const leased = sum(result.kills.map((kill) => kill.leased + (kill.heldByWorkers ?? 0)));
  printFigures(name, {
    rounds: plan.length,
    acknowledged: result.acknowledged,
    lost: result.lost.length,
    "unanswered at a kill": unanswered,
    "of these repeated": bySender,
    "leased at a kill": leased,
    "of these repeated by us": byServer,
    "spooled at the end": result.spooledAtEnd,
    orphans: result.orphans,
    "slowest start ms": result.slowestStartMs,
    kills: JSON.stringify([...result.aims]),
    refusals: JSON.stringify([...result.refusals]),
  });
  expect(result.lost).toEqual([]);
  expect(result.damaged).toEqual([]);
  expect(result.left).toBe(0);
  expect(result.acknowledged).toBeGreaterThanOrEqual(loaded);
  expect(unanswered).toBeLessThanOrEqual(loaded * SESSIONS);
  expect(byServer).toBeLessThanOrEqual(leased);
  expect(unexplained).toEqual([]);
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, number) => all + number, 0);

interface RunOptions {
  plan: readonly RoundKind[];
  retry?: number;
  /** Settings of the server in addition to those that `kill-rounds.ts` makes. */
  env?: Readonly<Record<string, string>>;
}

function optionsOf(name: string, { retry = RETRY_SECONDS, env = {} }: RunOptions) {
  const rolled = dice();
  process.stdout.write(`${name}: KAUKE_TEST_SEED=${rolled.seed}\n`);
  const onProgress = (rounds: number, count: number) => {
    if (isLongRun) printFigures(name, { rounds, acknowledged: count });
  };
  return {
    env,
    dice: rolled,
    sessions: SESSIONS,
    acknowledged: ACKNOWLEDGED,
    retrySeconds: retry,
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
    onProgress,
  };
}

async function runRounds(name: string, options: RunOptions): Promise<KillRoundsResult> {
  const begun = performance.now();
  const result = await killRounds({ ...optionsOf(name, options), plan: options.plan });
  expectNothingLost(name, result, options.plan);
  printFigures(name, { seconds: Math.round((performance.now() - begun) / 1000) });
  return result;
}

async function runWorkerRounds(name: string, options: RunOptions): Promise<KillRoundsResult> {
  const begun = performance.now();
  const result = await killWorkerRounds({ ...optionsOf(name, options), plan: withVictims(options.plan) });
  const { workersKilled, ownersKilled, outlivedMs } = result;
  printFigures(name, {
    "workers killed": workersKilled,
    "owners killed": ownersKilled,
    "workers outlived an owner ms": outlivedMs,
    "held by killed workers": sum(result.kills.map((kill) => kill.heldByWorkers ?? 0)),
  });
  expectNothingLost(name, result, options.plan);
  expect(workersKilled).toBeGreaterThan(0);
  expect(ownersKilled).toBeGreaterThan(0);
  printFigures(name, { seconds: Math.round((performance.now() - begun) / 1000) });
  return result;
}

/**
 * Number of parts that the five hundred rounds are split into: each is judged by itself and has a data directory of its
 * own.
 */
const CHAPTERS = isLongRun ? 20 : 1;
const ROUNDS_PER_CHAPTER = 24;
const SPOOL_ROUNDS = isLongRun ? 20 : 1;
const ANSWERED_FIRST_ROUNDS = 20;
const LONG_ACKNOWLEDGED_MIN = 20_000;
let acknowledgedInAll = 0;

for (let chapter = 1; chapter <= CHAPTERS; chapter++) {
  test(`kill -9 at any moment loses nothing, and repeats nothing but messages in flight (${chapter} of ${CHAPTERS})`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const plan = isLongRun ? planOf(ROUNDS_PER_CHAPTER) : fewRounds;
    acknowledgedInAll += (await runRounds(`kill -9, ${chapter} of ${CHAPTERS}`, { plan })).acknowledged;
  });
}

test("kill -9 while every destination is down leaves all acknowledged mail in the spool", {
  timeout: TIMEOUT_MS,
}, async () => {
  const plan = Array.from({ length: SPOOL_ROUNDS }, () => "down" as const);
  const result = await runRounds("kill -9, destinations down", { plan, retry: RETRY_SECONDS_WHILE_DOWN });
  acknowledgedInAll += result.acknowledged;
  expect(result.spooledAtEnd).toBeGreaterThanOrEqual(result.acknowledged);
});

/** In `npm test`, `kill-9-workers.test.ts` kills a server that acknowledges mail before its destination answers. */
test.runIf(isLongRun)(
  "kill -9 while mail is acknowledged before its destination answers loses nothing",
  { timeout: TIMEOUT_MS },
  async () => {
    const result = await runRounds("kill -9, answered first", {
      plan: planOf(ANSWERED_FIRST_ROUNDS),
      env: { KAUKE_ANSWER_SECONDS: "0" },
    });
    acknowledgedInAll += result.acknowledged;
  },
);

/** In `npm test`, `kill-9-workers.test.ts` kills workers and owners. */
const WORKER_CHAPTERS = isLongRun ? 20 : 0;
const ROUNDS_PER_WORKER_CHAPTER = 26;
let acknowledgedByWorkers = 0;

for (let chapter = 1; chapter <= WORKER_CHAPTERS; chapter++) {
  test(`kill -9 of mail workers and their owner in turns loses nothing (${chapter} of ${WORKER_CHAPTERS})`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    // In every other chapter senders are answered before the destination, so that a kill meets all mail in flight.
    const env: Record<string, string> = chapter % 2 === 1 ? { KAUKE_ANSWER_SECONDS: "0" } : {};
    const name = `kill -9 with workers, ${chapter} of ${WORKER_CHAPTERS}`;
    const { acknowledged } = await runWorkerRounds(name, { plan: planOf(ROUNDS_PER_WORKER_CHAPTER), env });
    acknowledgedByWorkers += acknowledged;
  });
}

test.runIf(isLongRun)("the long rounds with workers had at least 20,000 messages to lose", () => {
  expect(acknowledgedByWorkers).toBeGreaterThanOrEqual(LONG_ACKNOWLEDGED_MIN);
});

test.runIf(isLongRun)("the long rounds had at least 20,000 messages to lose", () => {
  expect(acknowledgedInAll).toBeGreaterThanOrEqual(LONG_ACKNOWLEDGED_MIN);
});

test("control: a message that is acknowledged and never arrives is reported as lost", {
  timeout: TIMEOUT_MS,
}, async () => {
  const withheld = 3;
  const rolled = dice();
  const options = {
    dice: rolled,
    sessions: SESSIONS,
    acknowledged: [20, 20] as const,
    retrySeconds: RETRY_SECONDS,
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
    withheld,
  };
  const { lost, left } = await killRounds({ ...options, plan: ["mixed"] });
  expect(lost).toEqual([withheld]);
  expect(left).toBe(0);
});
