/**
 * People change their aliases while the forwarding provider does calls late, twice, wrong or not at all, and while the
 * server is killed: at the end both sides agree, and nothing forwarded for longer than stated to where it no longer may.
 */
import { dice } from "@kauke/testkit/kill/kill-moments";
import {
  type ProviderRoundsOptions,
  type ProviderRoundsResult,
  providerRounds,
} from "@kauke/testkit/kill/provider-rounds";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const TIMEOUT_MS = isLongRun ? 5_400_000 : 600_000;
/** Times of the worker in tenths to hundredths of the real ones, so that rounds last seconds. */
const quickTimes = {
  recheckMs: 3000,
  retryMinMs: 100,
  retryMaxMs: 1000,
  refusedMaxMs: 1000,
  everyMs: 100,
  leaseMs: 4000,
  pauseMs: 100,
  pauseMaxMs: 500,
};
/** A call whose response was lost is looked at again after `recheckMs`; a process that was killed leaves a lease. */
const QUICK_BOUND_MS = 6000;
/** The same with the real times: 60 s until the second look, 90 s until the lease of a killed process ends. */
const REAL_BOUND_MS = 95_000;

afterAll(removeDataDirs);

async function run(
  name: string,
  options: Omit<ProviderRoundsOptions, "dice" | "owners">,
): Promise<ProviderRoundsResult> {
  const rolled = dice();
  process.stdout.write(`${name}: KAUKE_TEST_SEED=${rolled.seed}\n`);
  const begun = performance.now();
  const onProgress = (count: number) => {
    if (isLongRun && count % 10 === 0) printFigures(name, { rounds: count });
  };
  const result = await providerRounds({ owners: 5, dice: rolled, onProgress, ...options });
  const worst = (key: "lateMs" | "reachableMs") => Math.max(0, ...result.late.map((one) => one[key]));
  printFigures(name, {
    rounds: options.rounds,
    seconds: Math.round((performance.now() - begun) / 1000),
    changes: JSON.stringify([...result.changes]),
    calls: result.calls,
    faults: JSON.stringify([...result.faults]),
    "forwarded late": result.late.length,
    "at worst, ms": worst("lateMs"),
    "of these with the provider reachable, ms": worst("reachableMs"),
    "aliases at the end": result.aliases,
    "agreed after, ms": result.calmMs,
  });
  return result;
}

function expectAgreement(result: ProviderRoundsResult, boundMs: number): void {
  expect(result.differences).toEqual([]);
  expect(result.neverWanted).toEqual([]);
  expect(result.violations).toEqual([]);
  expect(result.late.filter(({ reachableMs }) => reachableMs > boundMs)).toEqual([]);
}

/** The rounds are split: each part has a data directory and a provider of its own, and is judged by itself. */
const PARTS = rounds(1, 10);

for (let part = 1; part <= PARTS; part++) {
  test(`both sides agree after kills and trouble, and nothing forwards for long where it no longer may (${part} of ${PARTS})`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const result = await run(`provider rounds, ${part} of ${PARTS}`, {
      rounds: rounds(6, 20),
      times: quickTimes,
      livesMs: [300, 2000],
      lateMaxMs: 2000,
      calmMaxMs: 30_000,
    });
    expectAgreement(result, QUICK_BOUND_MS);
  });
}

test("the same holds with the worker's real times", { timeout: TIMEOUT_MS }, async () => {
  const result = await run("provider rounds, real times", {
    rounds: rounds(1, 3),
    times: null,
    livesMs: [4000, 8000],
    lateMaxMs: 30_000,
    calmMaxMs: 240_000,
  });
  expectAgreement(result, REAL_BOUND_MS);
});

test("control: one copy that was changed at the provider is found", { timeout: TIMEOUT_MS }, async () => {
  let changed = "";
  const result = await run("provider rounds, control", {
    rounds: 1,
    times: quickTimes,
    livesMs: [1500, 1500],
    lateMaxMs: 2000,
    calmMaxMs: 30_000,
    beforeComparison: (provider) => {
      const copy = provider.aliases("kauke.test").find(({ description }) => description.startsWith("kauke:"));
      changed = `${copy?.name}@kauke.test`;
      provider.putAlias(changed, { recipients: ["thief@else.example"], is_enabled: true });
    },
  });
  expect(result.differences.join()).toContain(`${changed.split("@")[0]}: recipients is ["thief@else.example"]`);
  expect(result.neverWanted).toMatchObject([{ address: changed, recipients: ["thief@else.example"] }]);
});
