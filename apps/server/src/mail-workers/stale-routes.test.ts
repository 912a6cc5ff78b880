/**
 * Tests that a change of an alias is answered only when no mail worker uses its former route any more. The workers have
 * real route caches and exchange messages with the owner, while look-ups, changes and restarts run concurrently.
 */
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AliasRoute } from "../core/alias/alias.ts";
import { RouteCache } from "../mail/receive/route-cache.ts";
import { systemClock } from "../operate/clock.ts";
import { fakeOwner, obedientProgram, type WorkerLink } from "./fake-worker.testing.ts";
import { remoteCalls } from "./remote-calls.ts";
import { remoteStore } from "./remote-store.ts";
import type { WorkerSetup } from "./worker-setup.ts";

type State = "active" | "paused" | "deleted";

interface Step {
  /** Turns of the event loop to wait before the step. */
  after: number;
  alias: number;
  act: "look" | State | "kill";
  worker: number;
}

const steps = fc.array(
  fc.record<Step>({
    after: fc.nat({ max: 60 }),
    alias: fc.nat({ max: 1 }),
    act: fc.oneof(
      { weight: 8, arbitrary: fc.constant("look" as const) },
      { weight: 4, arbitrary: fc.constantFrom("active" as const, "paused" as const, "deleted" as const) },
      { weight: 1, arbitrary: fc.constant("kill" as const) },
    ),
    worker: fc.nat({ max: 3 }),
  }),
  { minLength: 20, maxLength: 80 },
);

const setup = { isDatabaseShared: false, hasInFlight: false, hmacKeys: [], dkimKeys: [] } as unknown as WorkerSetup;
const addressOf = (alias: number) => `a${alias}@kauke.test`;
const turns = async (count: number) => {
  for (let passed = 0; passed < count; passed++) await turn();
};

/** Two aliases with the history of their routes; the last route of each is the stored one. */
class Aliases {
  readonly histories: (AliasRoute | null)[][] = [[], []];
  #version = 0;

  constructor() {
    for (const alias of [0, 1]) this.write(alias, "active");
  }

  write(alias: number, state: State): number {
    const paused = state === "paused";
    const empty = { userId: "u", destinations: [], pausedWebhooks: [], sealKey: null };
    const keys = { webhookSecret: Buffer.alloc(0), replyKey: Buffer.from(String(++this.#version)) };
    const route = { ...empty, ...keys, aliasId: String(alias), address: addressOf(alias), paused };
    return this.history(alias).push(state === "deleted" ? null : route) - 1;
  }

  history(alias: number): (AliasRoute | null)[] {
    return this.histories[alias] as (AliasRoute | null)[];
  }

  stored(address: string): AliasRoute | null {
    return this.history(Number(address.slice(1, 2))).at(-1) ?? null;
  }
}

function startWorkers(count: number, aliases: Aliases, isObedient: boolean) {
  const caches: RouteCache[] = [];
  const findRoute = async (address: string) => {
    await turns(2);
    const route = aliases.stored(address);
    await turns(3);
    return route;
  };
  const program = (link: WorkerLink, index: number) => {
    if (isObedient)
      obedientProgram({ ...link, send: (message) => (message.kind === "dropped" ? undefined : link.send(message)) });
    // Control case: this worker confirms that it dropped the route, but keeps it.
    else obedientProgram(link);
    const heard: WorkerLink = isObedient
      ? link
      : { ...link, onMessage: (listener) => link.onMessage((it) => void (it.kind === "drop" || listener(it))) };
    const { aliases: routes } = remoteStore(heard, remoteCalls(link), setup);
    caches[index] = new RouteCache(routes, systemClock);
  };
  return { owner: fakeOwner({ count, store: { aliases: { findRoute } }, program }), caches };
}

/** Runs all steps concurrently. @returns number of look-ups whose result was stale before they began */
async function staleFindings(count: number, all: readonly Step[], isObedient = true): Promise<number> {
  const aliases = new Aliases();
  const { owner, caches } = startWorkers(count, aliases, isObedient);
  await owner.workers.start();
  /** For each alias, index in its history of the newest state whose change was answered. */
  const answered = [0, 0];
  let stale = 0;
  const run = async ({ after, alias, act, worker }: Step) => {
    await turns(after);
    const running = owner.launched.filter((it) => !it.isEnded());
    const chosen = running[worker % running.length];
    if (chosen === undefined) return;
    if (act === "kill") return chosen.kill();
    if (act !== "look") {
      const written = aliases.write(alias, act);
      await turns(1);
      await owner.changeRoute({ aliasId: String(alias) });
      answered[alias] = Math.max(answered[alias] ?? 0, written);
      return;
    }
    const since = answered[alias] ?? 0;
    const cache = caches[owner.launched.indexOf(chosen)] as RouteCache;
    const found = await Promise.resolve(cache.find(addressOf(alias))).catch(() => undefined);
    if (found === undefined || chosen.isEnded()) return;
    const keyOf = (route: AliasRoute | null) => route && Buffer.from(route.replyKey).toString();
    if (!aliases.history(alias).slice(since).map(keyOf).includes(keyOf(found))) stale++;
  };
  await Promise.all(all.map(run));
  await owner.workers.close(0);
  return stale;
}

test("no mail worker finds a paused, edited or deleted route after the change was answered", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 4 }), steps, async (count, all) => {
      expect(await staleFindings(count, all)).toBe(0);
    }),
    { numRuns: 100 },
  );
}, 120_000);

test("control: workers that acknowledge a changed route without dropping it are noticed", async () => {
  const looks = (after: number): Step[] => [0, 1].map((worker) => ({ after, alias: 0, act: "look", worker }));
  const change: Step = { after: 20, alias: 0, act: "deleted", worker: 0 };
  expect(await staleFindings(2, [...looks(0), change, ...looks(60)], false)).toBe(2);
  expect(await staleFindings(2, [...looks(0), change, ...looks(60)])).toBe(0);
});
