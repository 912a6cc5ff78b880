/** Thousands of aliases reach a provider that takes a few hundred new ones per window, with a kill in the middle. */
import type { ForwardingWire } from "@kauke/contract";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { plantPush } from "@kauke/testkit/planted-push";
import { forwardThrough, providerDomains } from "@kauke/testkit/provider-run";
import { quickServer, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const ALIASES = rounds(400, 5000);
/** The provider's limit is 300 a day; here a window takes seconds. */
const PER_WINDOW = rounds(100, 300);
const WINDOW_MS = rounds(5000, 15_000);
/** Aliases that the server works on at once: so many calls may be under way when the first is refused. */
const AT_ONCE = 4;

afterAll(removeDataDirs);

/** Sizes of the groups of refused calls; a group is what one window refused. */
function refusalsPerWindow(provider: FakeForwardEmail): number[] {
  const times = provider.calls.flatMap(({ status, at }) => (status === 429 ? [at] : []));
  const groups: number[] = [];
  for (const [index, at] of times.entries()) {
    if (index > 0 && at - (times[index - 1] ?? 0) < WINDOW_MS / 2) groups.push((groups.pop() ?? 0) + 1);
    else groups.push(1);
  }
  return groups;
}

test(`${ALIASES} aliases are all there once, within the provider's limits, although the server is killed meanwhile`, {
  timeout: 900_000,
}, async () => {
  await using provider = await FakeForwardEmail.start({ domains: providerDomains });
  provider.store.limits = { createAlias: PER_WINDOW };
  provider.store.limitWindowMs = WINDOW_MS;
  const { dataDir, person } = await plantPush(ALIASES);
  const place = { dataDir, program: quickServer, env: { ...forwardThrough(provider), KAUKE_LIMITS: "off" } };
  let server = await startServerProcess(place);
  const there = () => provider.aliases("kauke.test").length;
  const missing = async () => {
    const response = await fetch(`${server.url}/api/forwarding`, { headers: { cookie: person.cookie } });
    const { counts } = (await response.json()) as ForwardingWire;
    return counts.waiting + counts.failed;
  };
  const begun = performance.now();
  await expect.poll(there, { timeout: 600_000 }).toBeGreaterThan(ALIASES / 2);
  await server.kill();
  server = await startServerProcess(place);
  const progress: number[] = [];
  for (;;) {
    const left = await missing();
    progress.push(left);
    if (left === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await server.stop();
  const refusals = refusalsPerWindow(provider);
  printFigures("push", {
    aliases: ALIASES,
    seconds: Math.round((performance.now() - begun) / 1000),
    calls: provider.calls.length,
    "windows that refused": refusals.length,
    "refused in one at most": Math.max(0, ...refusals),
  });
  expect(there()).toBe(ALIASES);
  expect(new Set(provider.aliases("kauke.test").map(({ description }) => description)).size).toBe(ALIASES);
  expect(provider.violations).toEqual([]);
  expect(Math.max(0, ...refusals)).toBeLessThanOrEqual(AT_ONCE);
  // What a person sees goes down, and shows the middle too.
  expect(progress).toEqual(progress.toSorted((one, other) => other - one));
  expect(progress[0]).toBeLessThan(ALIASES);
});
