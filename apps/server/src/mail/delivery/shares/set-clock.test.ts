/** Limits and caches in memory keep time when the system clock is set: none blocks or becomes stale for years. */
import { expect, test } from "vitest";
import { aRoute } from "../../inbound/a-route.testing.ts";
import { RouteCache } from "../../inbound/route-cache.ts";
import { ConfirmationCaps } from "../confirmation-guard.ts";
import { DestinationShares } from "./destination-shares.ts";

const YEARS = 5 * 365 * 24 * 3_600_000;

class SetClock {
  #elapsedMs = 0;
  #ahead = 0;

  now(): Date {
    return new Date(Date.UTC(2026, 10, 1) + this.#elapsedMs + this.#ahead);
  }

  steadyMs(): number {
    return this.#elapsedMs;
  }

  pass(ms: number): void {
    this.#elapsedMs += ms;
  }

  set(ms: number): void {
    this.#ahead += ms;
  }
}

test.each([-YEARS, -3_600_000, YEARS])(
  "with the clock set by %i ms, the daily limit of a mailbox ends after a day and not before",
  (ms) => {
    const clock = new SetClock();
    const caps = new ConfirmationCaps(clock);
    const take = () => caps.take("account", "inbox@inbox.example");
    while (take());
    clock.set(ms);
    expect(take()).toBe(false);
    clock.pass(24 * 3_600_000);
    expect(take()).toBe(true);
  },
);

test("with the clock set back by years, a route is looked up again after a minute", async () => {
  const clock = new SetClock();
  let asked = 0;
  const route = aRoute("a", "account");
  const findRoute = async () => {
    asked++;
    return route;
  };
  const cache = new RouteCache({ findRoute, onRouteChange: () => {} } as never, clock);
  await cache.find("a@kauke.test");
  clock.set(-YEARS);
  await cache.find("a@kauke.test");
  expect(asked).toBe(1);
  clock.pass(60_000);
  await cache.find("a@kauke.test");
  expect(asked).toBe(2);
});

test("with the clock set back by years, deliveries deferred by a share are due by the new time", () => {
  const clock = new SetClock();
  const random = { bytes: (length: number) => Buffer.alloc(length), uuid: () => "" };
  const metrics = { count: () => {}, gauge: () => {} };
  const shares = new DestinationShares({ rule: { max: 3, windowSeconds: 3600 }, clock, random, metrics });
  const sent = {
    userId: "account",
    target: { destination: { kind: "mailbox" as const, address: "x@inbox.example" }, aliasAddress: "a@kauke.test" },
  };
  while (shares.beforeAttempt(sent) === null);
  clock.set(-YEARS);
  const held = shares.beforeAttempt(sent);
  const waitMs = held?.kind === "deferred" ? (held.notBefore?.getTime() ?? 0) - clock.now().getTime() : null;
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(3_600_000);
  clock.pass(2 * 3_600_000);
  expect(shares.beforeAttempt(sent)).toBeNull();
});
