import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { onEachDatabase } from "../stores.testing.ts";

const rule = { action: "alias_create", max: 3, windowSeconds: 60 };
const start = new Date("2026-03-01T12:00:00.000Z");
const after = (ms: number) => new Date(start.getTime() + ms);

describe("rate limits", () => {
  onEachDatabase((fixture) => {
    const take = (key: string, at = start) => fixture.store.rateLimits.take(rule, { key }, at);

    it("allow as many attempts as the rule says, and start over when the window ends", async () => {
      const key = randomUUID();
      const resetAt = after(60_000);
      for (const count of [1, 2, 3]) expect(await take(key)).toEqual({ allowed: true, count, resetAt });
      expect(await take(key, after(59_999))).toEqual({ allowed: false, count: 4, resetAt });
      expect(await take(key, after(60_000))).toEqual({ allowed: true, count: 1, resetAt: after(120_000) });
    });

    it("count a request as often as its weight says or, beyond the limit, not at all", async () => {
      const key = randomUUID();
      const weigh = (weight: number, at = start) => fixture.store.rateLimits.takeAll(rule, { key }, at, weight);
      const resetAt = after(60_000);
      expect(await weigh(4)).toEqual({ allowed: false, count: 0, resetAt });
      expect(await weigh(2)).toEqual({ allowed: true, count: 2, resetAt });
      expect(await weigh(2, after(1))).toEqual({ allowed: false, count: 2, resetAt });
      expect(await weigh(1)).toMatchObject({ allowed: true, count: 3 });
      await fixture.store.rateLimits.giveBack(rule.action, { key }, 2);
      expect(await weigh(2)).toMatchObject({ allowed: true, count: 3 });
      expect(await weigh(4, after(60_000))).toEqual({ allowed: false, count: 0, resetAt: after(120_000) });
      expect(await weigh(3, after(60_000))).toMatchObject({ allowed: true, count: 3 });
    });

    it("never count more than the limit with concurrent requests of different weight", async () => {
      const key = randomUUID();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => fixture.store.rateLimits.takeAll(rule, { key }, start, 1 + (n % 2))),
      );
      const counted = results.flatMap(({ allowed }, n) => (allowed ? [1 + (n % 2)] : []));
      expect(counted.reduce((sum, weight) => sum + weight, 0)).toBe(3);
    });

    it("are exact with concurrent attempts", async () => {
      const key = randomUUID();
      const results = await Promise.all(Array.from({ length: 20 }, () => take(key)));
      expect(results.filter((result) => result.allowed)).toHaveLength(3);
      expect(results.map((result) => result.count).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, n) => n + 1),
      );
    });

    it("count subjects and actions separately, and start over after a clear", async () => {
      const value = randomUUID();
      await fixture.store.rateLimits.take(rule, { userId: value }, start);
      await fixture.store.rateLimits.take(rule, { ipAddress: value }, start);
      await fixture.store.rateLimits.take({ ...rule, action: "login" }, { key: value }, start);
      expect((await take(value)).count).toBe(1);
      await fixture.store.rateLimits.clear(rule.action, { key: value });
      expect((await take(value)).count).toBe(1);
      expect((await fixture.store.rateLimits.take(rule, { userId: value }, start)).count).toBe(2);
    });

    it("delete old windows", async () => {
      const key = randomUUID();
      await take(key);
      await fixture.store.rateLimits.deleteBefore(after(0));
      expect((await take(key)).count).toBe(2);
      await fixture.store.rateLimits.deleteBefore(after(1));
      expect((await take(key)).count).toBe(1);
    });

    const spaced = { action: "login", free: 2, longestWaitSeconds: 3, forgetSeconds: 100 };
    const tryAt = (key: string, ms: number) => fixture.store.rateLimits.takeSpaced(spaced, { key }, after(ms));

    it("space attempts further and further apart, up to the longest wait", async () => {
      const key = randomUUID();
      expect(await tryAt(key, 0)).toEqual({ allowed: true, count: 1, resetAt: after(0) });
      expect(await tryAt(key, 0)).toEqual({ allowed: true, count: 2, resetAt: after(1000) });
      expect(await tryAt(key, 999)).toEqual({ allowed: false, count: 2, resetAt: after(1000) });
      expect(await tryAt(key, 1000)).toEqual({ allowed: true, count: 3, resetAt: after(3000) });
      expect(await tryAt(key, 2999)).toMatchObject({ allowed: false });
      expect(await tryAt(key, 3000)).toEqual({ allowed: true, count: 4, resetAt: after(6000) });
      expect(await tryAt(key, 6000)).toEqual({ allowed: true, count: 5, resetAt: after(9000) });
    });

    it("a refused attempt does not postpone the next one, and a long pause resets the count", async () => {
      const key = randomUUID();
      await tryAt(key, 0);
      await tryAt(key, 0);
      for (const ms of [100, 500, 900]) expect((await tryAt(key, ms)).resetAt).toEqual(after(1000));
      expect(await tryAt(key, 100_000)).toMatchObject({ allowed: true, count: 1 });
    });

    it("the first wait may be longer than a second, and no wait exceeds the longest", async () => {
      const key = randomUUID();
      const slow = { action: "slow", free: 1, firstWaitSeconds: 900, longestWaitSeconds: 1000, forgetSeconds: 9000 };
      const at = async (ms: number) => (await fixture.store.rateLimits.takeSpaced(slow, { key }, after(ms))).resetAt;
      expect(await at(0)).toEqual(after(900_000));
      expect(await at(900_000)).toEqual(after(1_900_000));
      expect(await at(1_900_000)).toEqual(after(2_900_000));
    });

    it("an attempt given back can be used again, and no more can be given back than were used", async () => {
      const key = randomUUID();
      for (const count of [1, 2]) expect(await tryAt(key, 0)).toMatchObject({ allowed: true, count });
      await fixture.store.rateLimits.giveBack("login", { key });
      expect(await tryAt(key, 0)).toMatchObject({ allowed: true, count: 2 });
      for (const _ of [1, 2, 3, 4]) await fixture.store.rateLimits.giveBack("login", { key });
      for (const count of [1, 2]) expect(await tryAt(key, 0)).toMatchObject({ allowed: true, count });
      expect(await tryAt(key, 0)).toMatchObject({ allowed: false });
    });

    it("of many concurrent spaced attempts only the free ones are allowed", async () => {
      const key = randomUUID();
      const results = await Promise.all(Array.from({ length: 15 }, () => tryAt(key, 0)));
      expect(results.filter((result) => result.allowed)).toHaveLength(2);
    });
  });
});
