/** SIGTERM under load: the server shuts down within five seconds and loses nothing that was acknowledged. */

import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { compareRecords } from "@kauke/testkit/kill/compare-records";
import {
  drain,
  type KillPlace,
  loadSettings,
  preparedSender,
  untilAcknowledged,
} from "@kauke/testkit/kill/kill-rounds";
import type { LoadSender } from "@kauke/testkit/load-sender";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { waitedForCoreMs } from "@kauke/testkit/process-figures";
import { npmStart } from "@kauke/testkit/programs/npm-start";
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";

const SESSIONS = 20;
const CLOSE_MAX_MS = 5000;
const TIMEOUT_MS = isLongRun ? 1_800_000 : 240_000;

const acknowledgedBefore = () => 1 + Math.floor(Math.random() * 80);

let destination: SwitchedDestination;
let place: KillPlace;
let sender: LoadSender;

beforeEach(async () => {
  destination = await SwitchedDestination.start();
  place = { dataDir: await makeDataDir(), env: loadSettings(destination, 2) };
  sender = await preparedSender({ sessions: SESSIONS }, place);
});
afterEach(() => destination.close());
afterAll(removeDataDirs);

const states: Record<string, () => Promise<void>> = {
  "takes after 300 ms": () => destination.goUp(300),
  "is silent": () => destination.goSilent(),
  "takes at once": () => destination.goUp(),
  "is down": () => destination.goDown("closed port"),
};

async function expectNothingLost(name: string, closeTimes: readonly number[]): Promise<void> {
  await destination.goUp();
  const { left, spooledAtEnd } = await drain({ ...place.env, KAUKE_DATA_DIR: place.dataDir }, { timeoutMs: 120_000 });
  const { acknowledged, lost, repeated, damaged, unanswered } = compareRecords(sender, destination);
  const repeatedByUs = repeated.filter(({ number }) => !unanswered.has(number)).length;
  printFigures(name, {
    closes: closeTimes.length,
    "slowest ms": Math.round(Math.max(...closeTimes)),
    acknowledged,
    lost: lost.length,
    unanswered: unanswered.size,
    "others repeated": repeatedByUs,
    "spooled at the end": spooledAtEnd,
  });
  expect(lost).toEqual([]);
  expect(repeatedByUs).toBe(0);
  expect(damaged).toEqual([]);
  expect(left).toBe(0);
  expect(Math.max(...closeTimes)).toBeLessThanOrEqual(CLOSE_MAX_MS);
}

test("SIGTERM ends the server in time with code 0 and loses nothing, however the destination behaves", {
  timeout: TIMEOUT_MS,
}, async () => {
  const closeTimes: number[] = [];
  for (let round = 0; round < rounds(1, 8); round++) {
    for (const setState of Object.values(states).slice(0, rounds(2, 4))) {
      await setState();
      const server = await startServerProcess(place);
      const load = sender.start(server.mxPort);
      if (setState === states["is silent"]) await new Promise((resolve) => setTimeout(resolve, 500));
      else await untilAcknowledged(sender, server, acknowledgedBefore());
      closeTimes.push(await closeTimeMs(server));
      await load.ended;
      destination.era++;
    }
  }
  await expectNothingLost("SIGTERM", closeTimes);
});

/** Milliseconds from SIGTERM to the exit, less the time other programs had the cores. */
async function closeTimeMs(server: { pid: number; stop(): Promise<number | null> }): Promise<number> {
  const waitedBefore = waitedForCoreMs(server.pid);
  let waited = waitedBefore;
  const watch = setInterval(() => {
    waited = Math.max(waited, waitedForCoreMs(server.pid));
  }, 50);
  const begun = performance.now();
  const code = await server.stop();
  clearInterval(watch);
  expect(code).toBe(0);
  return performance.now() - begun - (waited - waitedBefore);
}

test("SIGTERM to npm does the same to the server behind it", { timeout: TIMEOUT_MS }, async () => {
  const ports = ["HTTP", "MX", "SUBMISSION", "SUBMISSIONS"].map((name) => [`KAUKE_${name}_PORT`, "0"]);
  const npm = await npmStart({ ...place.env, ...Object.fromEntries(ports), KAUKE_DATA_DIR: place.dataDir });
  try {
    const load = sender.start(npm.mxPort);
    await untilAcknowledged(sender, npm, acknowledgedBefore());
    const begun = performance.now();
    await npm.signal("SIGTERM");
    const closeMs = performance.now() - begun;
    await load.ended;
    expect(npm.output()).toContain('"event":"closed"');
    await expectNothingLost("SIGTERM to npm", [closeMs]);
  } finally {
    npm.kill();
  }
});
