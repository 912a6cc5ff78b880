/** The method of the attack tests: what bystanders notice is measured, and harm is reported as harm. */

import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";
import {
  expectUnharmed,
  HEALTHY_WITHIN_MS,
  type Observations,
  startScene,
  watchBystander,
} from "./bystander.testing.ts";

afterAll(removeDataDirs);

test("without an attack the bystander's mail arrives and no harm is reported", async () => {
  await using scene = await startScene();
  const seen = await watchBystander(scene, new Promise((resolve) => setTimeout(resolve, 500)));
  expectUnharmed(seen);
  expect(seen.messages).toBeGreaterThan(1);
  expect(seen.peakMib).toBeGreaterThan(50);
});

test("a server that is stopped is reported by slow health checks, and a relay that accepts nothing by mail that did not arrive", async () => {
  await using scene = await startScene();
  scene.relay.options = { answer: ({ stage }) => (stage === "mail" ? "451 4.3.0 not now" : undefined) };
  const seen = await watchBystander(scene, stopFor(scene.server.pid, 1500));
  expect(seen.healthyMs).toBeGreaterThan(1000);
  expect(seen.failures.join()).toContain("did not arrive");
  expect(() => expectUnharmed(seen)).toThrow();
});

test.each<[keyof Observations, number]>([
  ["deliveredMs", 10_001],
  ["healthyMs", HEALTHY_WITHIN_MS + 1],
  ["peakMib", 1100],
  ["messages", 0],
])("%s of %i is harm", (name, value) => {
  const seen = { messages: 1, answeredMs: 1, deliveredMs: 1, healthyMs: 1, peakMib: 1, failures: [] };
  expectUnharmed(seen);
  expect(() => expectUnharmed({ ...seen, [name]: value })).toThrow();
});

async function stopFor(pid: number, ms: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, ms));
  process.kill(pid, "SIGCONT");
}
