/**
 * What kill -9 loses: nothing that was acknowledged. Twenty sessions send numbered messages, the process dies at random
 * moments, and at the end the destination's books are held against the sender's.
 */
import { randomBytes } from "node:crypto";
import { findTestPostgres, startTestPostgres } from "@kauke/server/store/postgres.testing";
import { type KillRoundsResult, killRounds, type RoundKind } from "@kauke/testkit/kill-rounds";
import { isLongRun, rounds, tellFigures } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const sessions = 20;
/** Deliveries the sender has under way at once. */
const senderConcurrency = 40;
const longestMs = isLongRun ? 3_600_000 : 300_000;
const drainTimeoutMs = isLongRun ? 1_200_000 : 150_000;

afterAll(removeDataDirs);

const times = (count: number, kind: RoundKind) => Array.from({ length: count }, () => kind);

/** An acknowledged message is repeated only by the kill that fell between the destination's answer and our note of it. */
function expectNothingLost(result: KillRoundsResult, plan: readonly RoundKind[]): void {
  const kills = (kind: RoundKind) => plan.filter((it) => it === kind).length;
  const bySender = result.repeated.filter(({ number }) => result.unanswered.has(number));
  const byUs = result.repeated.filter(({ number }) => !result.unanswered.has(number));
  tellFigures("kill -9", {
    rounds: plan.length,
    acknowledged: result.acknowledged,
    lost: result.lost.length,
    "in flight at a kill": result.unanswered.size,
    "of these repeated": bySender.length,
    "others repeated": byUs.length,
    "spooled at the end": result.spooledAtEnd,
    orphans: result.orphans,
    "slowest start ms": result.slowestStartMs,
    refusals: JSON.stringify([...result.refusals]),
  });
  expect(result.lost).toEqual([]);
  expect(result.damaged).toEqual([]);
  expect(result.left).toBe(0);
  expect(result.acknowledged).toBeGreaterThanOrEqual(kills("down") + kills("up"));
  expect(result.unanswered.size).toBeLessThanOrEqual((kills("down") + kills("up")) * sessions);
  expect(byUs.length).toBeLessThanOrEqual(kills("up") * senderConcurrency);
  for (const { eras } of byUs) expect(new Set(eras).size).toBe(eras.length);
}

const usualRetrySeconds = 8;
const longRetrySeconds = 60;

test("kill -9 while destinations are down loses nothing, and repeats nothing but what was in flight", {
  timeout: longestMs,
}, async () => {
  const plan = [...times(rounds(18, 90), "down"), ...times(rounds(2, 10), "killed while starting")];
  const retrySeconds = isLongRun ? longRetrySeconds : usualRetrySeconds;
  const result = await killRounds({ plan, sessions, retrySeconds, drainTimeoutMs });
  expectNothingLost(result, plan);
  expect(result.spooledAtEnd).toBeGreaterThanOrEqual(result.acknowledged);
});

test("kill -9 while mail goes straight through and the spool drains loses nothing", {
  timeout: longestMs,
}, async () => {
  const plan = Array.from({ length: rounds(1, 15) }, () => ["down", "up", "up"] as const).flat();
  const result = await killRounds({ plan, sessions, retrySeconds: 1, drainTimeoutMs });
  expectNothingLost(result, plan);
});

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`kill -9 on PostgreSQL is skipped: ${postgres.reason}\n`);

test.skipIf(!postgres.found)("kill -9 with PostgreSQL behind loses nothing", { timeout: longestMs }, async () => {
  const database = await startTestPostgres();
  try {
    const env = {
      DATABASE_URL: await database.createDatabase(),
      KAUKE_SECRET_KEY: randomBytes(32).toString("base64"),
    };
    const plan = Array.from({ length: rounds(2, 10) }, () => ["down", "up"] as const).flat();
    // What a killed sender had claimed is free again when its lease of a minute runs out.
    const result = await killRounds({ plan, sessions, env, retrySeconds: 3, drainTimeoutMs });
    expectNothingLost(result, plan);
  } finally {
    await database.stop();
  }
});
