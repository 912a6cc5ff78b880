/**
 * kill -9 loses nothing that was acknowledged: twenty sessions send numbered messages, the process is killed at moments
 * of all kinds, and at the end the destination's record is compared with the sender's.
 */
import { explainRepeats } from "@kauke/testkit/kill/compare-records";
import { dice } from "@kauke/testkit/kill/kill-moments";
import { type KillRoundsResult, killRounds, type RoundKind } from "@kauke/testkit/kill/kill-rounds";
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

/**
 * An acknowledged message may arrive twice only if a kill fell between the destination's reply and our record of it.
 */
function expectNothingLost(name: string, result: KillRoundsResult, plan: readonly RoundKind[]): void {
  const loaded = plan.filter((kind) => kind !== "killed while starting").length;
  const { bySender, byServer, unexplained } = explainRepeats(result, result.kills);
  const unanswered = sum(result.unanswered.values());
  const leased = sum(result.kills.map((kill) => kill.leased));
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

test("kill -9 while mail is acknowledged before its destination answers loses nothing", {
  timeout: TIMEOUT_MS,
}, async () => {
  const result = await runRounds("kill -9, answered first", {
    plan: isLongRun ? planOf(ANSWERED_FIRST_ROUNDS) : ["mixed"],
    env: { KAUKE_ANSWER_SECONDS: "0" },
  });
  acknowledgedInAll += result.acknowledged;
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
