/**
 * kill -9 loses nothing that was acknowledged: twenty sessions send numbered messages, the process is killed at moments
 * of all kinds, and at the end the destination's record is compared with the sender's.
 */
import { explainRepeats } from "@kauke/testkit/kill/kill-books";
import { dice } from "@kauke/testkit/kill/kill-moments";
import { type KillRoundsResult, killRounds, type RoundKind } from "@kauke/testkit/kill/kill-rounds";
import { isLongRun, tellFigures } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const sessions = 20;
const acknowledged = isLongRun ? ([20, 90] as const) : ([10, 60] as const);
const longestMs = isLongRun ? 3_600_000 : 600_000;
const drainTimeoutMs = isLongRun ? 600_000 : 150_000;
const retrySeconds = isLongRun ? 4 : 2;
/**
 * Seconds until a retry: long enough that a message deferred at the last kill is still queued when the spool is
 * counted.
 */
const retrySecondsWhileDown = isLongRun ? 60 : 8;

afterAll(removeDataDirs);

/** Moments of the kills: of ten rounds six are mixed, one is during a start; fewer rounds take the first of these. */
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
  tellFigures(name, {
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
  expect(unanswered).toBeLessThanOrEqual(loaded * sessions);
  expect(byServer).toBeLessThanOrEqual(leased);
  expect(unexplained).toEqual([]);
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, number) => all + number, 0);

interface Survival {
  plan: readonly RoundKind[];
  retry?: number;
  /** Settings besides those of the load. */
  env?: Readonly<Record<string, string>>;
}

async function survive(name: string, { plan, retry = retrySeconds, env = {} }: Survival): Promise<KillRoundsResult> {
  const rolled = dice();
  process.stdout.write(`${name}: KAUKE_TEST_SEED=${rolled.seed}\n`);
  const tellProgress = (rounds: number, count: number) => {
    if (isLongRun) tellFigures(name, { rounds, acknowledged: count });
  };
  const begun = performance.now();
  const result = await killRounds({
    plan,
    env,
    dice: rolled,
    sessions,
    acknowledged,
    retrySeconds: retry,
    drainTimeoutMs,
    tellProgress,
  });
  expectNothingLost(name, result, plan);
  tellFigures(name, { seconds: Math.round((performance.now() - begun) / 1000) });
  return result;
}

/**
 * Number of parts that the five hundred rounds are split into: each is judged by itself and has a data directory of its
 * own.
 */
const chapters = isLongRun ? 20 : 1;
const roundsOfAChapter = isLongRun ? 24 : 6;
const spoolRounds = isLongRun ? 20 : 2;
const answeredFirstRounds = isLongRun ? 20 : 3;
const longAcknowledged = 20_000;
let acknowledgedInAll = 0;

for (let chapter = 1; chapter <= chapters; chapter++) {
  test(`kill -9 at any moment loses nothing, and repeats nothing but messages in flight (${chapter} of ${chapters})`, {
    timeout: longestMs,
  }, async () => {
    acknowledgedInAll += (await survive(`kill -9, ${chapter} of ${chapters}`, { plan: planOf(roundsOfAChapter) }))
      .acknowledged;
  });
}

test("kill -9 while every destination is down leaves all acknowledged mail in the spool", {
  timeout: longestMs,
}, async () => {
  const plan = Array.from({ length: spoolRounds }, () => "down" as const);
  const result = await survive("kill -9, destinations down", { plan, retry: retrySecondsWhileDown });
  acknowledgedInAll += result.acknowledged;
  expect(result.spooledAtEnd).toBeGreaterThanOrEqual(result.acknowledged);
});

test("kill -9 while mail is acknowledged before its destination answers loses nothing", {
  timeout: longestMs,
}, async () => {
  const result = await survive("kill -9, answered first", {
    plan: planOf(answeredFirstRounds),
    env: { KAUKE_ANSWER_SECONDS: "0" },
  });
  acknowledgedInAll += result.acknowledged;
});

test.runIf(isLongRun)("the long rounds had at least 20,000 messages to lose", () => {
  expect(acknowledgedInAll).toBeGreaterThanOrEqual(longAcknowledged);
});

test("control: a message that is acknowledged and never arrives is reported as lost", {
  timeout: longestMs,
}, async () => {
  const withheld = 3;
  const rolled = dice();
  const options = { dice: rolled, sessions, acknowledged: [20, 20] as const, retrySeconds, drainTimeoutMs, withheld };
  const { lost, left } = await killRounds({ ...options, plan: ["mixed"] });
  expect(lost).toEqual([withheld]);
  expect(left).toBe(0);
});
