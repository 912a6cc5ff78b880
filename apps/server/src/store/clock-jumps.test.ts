/**
 * The system clock is set back or forward: mail does not wait until the clock has caught up, and rows are not deleted
 * early.
 */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { freshForSeconds, isOver } from "../core/login-session.ts";
import { onEachContext } from "./context.testing.ts";
import { deliveryStore } from "./queue/deliveries.ts";
import { pacedRetention } from "./retention.ts";
import { releasedAddresses } from "./rows/accounts/released-addresses.ts";
import { userStore } from "./rows/accounts/users.ts";
import { aliasStore } from "./rows/aliases/aliases.ts";
import { rateLimitStore } from "./rows/rate-limits.ts";
import { aMessage, anAlias, anOpenDelivery, aSession, aUser } from "./rows.testing.ts";

const HOUR = 3_600_000;
const YEARS = 5 * 365 * 24 * HOUR;

describe("when the system clock is changed", () => {
  onEachContext((fixture) => {
    const parts = () => {
      const { context } = fixture;
      const forgetBodies = async () => {};
      const released = releasedAddresses(context);
      return {
        context,
        deliveries: deliveryStore(context, { forgetBodies }),
        users: userStore(context, { released, forgetBodies }),
        aliases: aliasStore(context, { released, forgetBodies }),
      };
    };
    const run = async (forgotten: Date[] = []) =>
      await pacedRetention(fixture.context, undefined, async (asOf) => void forgotten.push(asOf))();
    beforeEach(async () => {
      await fixture.context.db.deleteFrom("counter").execute();
    });

    it.each([HOUR, YEARS])(
      "back by %i ms: queued mail and mail leased by a process that died are delivered",
      async (ms) => {
        const { context, deliveries, users, aliases } = parts();
        const user = aUser();
        await users.insert(user);
        const alias = anAlias(user.id);
        await aliases.insert(alias);
        const now = context.clock.now();
        const [waiting, leased] = [aMessage({ createdAt: now }), aMessage({ createdAt: now })];
        const notBefore = new Date(now.getTime() + 600_000);
        await deliveries.enqueue(waiting, [anOpenDelivery(waiting, alias, { createdAt: now, notBefore })]);
        const lease = { token: randomUUID(), until: new Date(now.getTime() + 60_000) };
        await deliveries.enqueue(leased, [anOpenDelivery(leased, alias, { createdAt: now, notBefore: now, lease })]);
        context.clock.advance(-ms);
        const claim = async () =>
          (await deliveries.claim({ now: context.clock.now(), leaseMs: 1000, limit: 10 })).deliveries.length;
        expect(await claim()).toBe(0);
        await run();
        expect(await claim()).toBe(1);
        context.clock.advance(16 * 60_000);
        expect(await claim()).toBe(2);
        await users.delete(user.id);
      },
    );

    it("back: rate limits start over instead of blocking until the clock has caught up", async () => {
      const { context } = parts();
      const limits = rateLimitStore(context);
      const rule = { action: "alias_create", max: 1, windowSeconds: 60 } as const;
      const spaced = { action: "login_account", free: 1, longestWaitSeconds: 900, forgetSeconds: 3600 } as const;
      const subject = { key: randomUUID() };
      const now = context.clock.now();
      for (const allowed of [true, false]) {
        expect(await limits.take(rule, subject, now)).toMatchObject({ allowed });
        expect(await limits.takeSpaced(spaced, subject, now)).toMatchObject({ allowed });
      }
      const before = new Date(now.getTime() - YEARS);
      expect(await limits.take(rule, subject, before)).toMatchObject({ allowed: true, count: 1 });
      expect(await limits.takeSpaced(spaced, subject, before)).toMatchObject({ allowed: true, count: 1 });
    });

    it("forward by years: for 24 hourly runs, retention deletes only what was due before the jump", async () => {
      const { clock } = fixture.context;
      const forgotten: Date[] = [];
      await run(forgotten);
      clock.advance(HOUR);
      await run(forgotten);
      const lastRun = clock.now();
      expect(forgotten.at(-1)).toEqual(lastRun);
      clock.advance(YEARS);
      for (let hour = 0; hour < 24; hour++) {
        await run(forgotten);
        expect(forgotten.at(-1)).toEqual(lastRun);
        clock.advance(HOUR);
      }
      await run(forgotten);
      expect(forgotten.at(-1)).toEqual(clock.now());
    });

    it("forward and back again: nothing was deleted early, and the next run is an ordinary one", async () => {
      const { clock } = fixture.context;
      const forgotten: Date[] = [];
      await run(forgotten);
      const begun = clock.now();
      clock.advance(YEARS);
      await run(forgotten);
      clock.advance(-YEARS + HOUR);
      await run(forgotten);
      expect(forgotten).toEqual([begun, begun, clock.now()]);
    });
  });

  it("back: a session that was created in the future is over, and its recent proof is not accepted", () => {
    const now = new Date();
    const session = (ms: number) => ({
      ...aSession(randomUUID()),
      createdAt: new Date(now.getTime() + ms),
      lastSeenAt: now,
    });
    expect([isOver(session(-1000), now), isOver(session(YEARS), now), isOver(session(HOUR), now)]).toEqual([
      false,
      true,
      true,
    ]);
    const fresh = [-1000, 1000, HOUR, YEARS].map((ms) => freshForSeconds(session(ms), now));
    expect(fresh).toEqual([299, 300, 0, 0]);
  });
});
