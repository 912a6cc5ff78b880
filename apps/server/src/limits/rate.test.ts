import fc from "fast-check";
import { expect, test } from "vitest";
import { TokenBuckets } from "./rate.ts";

const rule = { max: 3, windowSeconds: 60 };

test("allows max at once, then one more after each share of the window", () => {
  const buckets = new TokenBuckets(rule, 100);
  expect([0, 0, 0, 0, 19_999, 20_001, 20_001].map((at) => buckets.take("a", at))).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(buckets.take("b", 0)).toBe(true);
});

test("a maximum of zero allows nothing", () => {
  expect(new TokenBuckets({ max: 0, windowSeconds: 60 }, 100).take("a", 0)).toBe(false);
});

test("an overdrawn bucket recovers within one more window, however often it was overdrawn", () => {
  const buckets = new TokenBuckets(rule, 100);
  for (let spent = 0; spent < 1000; spent++) buckets.spend("a", 0);
  expect(buckets.isEmpty("a", 79_000)).toBe(true);
  expect(buckets.isEmpty("a", 80_001)).toBe(false);
});

test("a clock that steps back neither adds nor removes tokens", () => {
  const buckets = new TokenBuckets(rule, 100);
  for (let taken = 0; taken < 3; taken++) buckets.take("a", 1_000_000);
  expect(buckets.isEmpty("a", 0)).toBe(true);
  expect(buckets.isEmpty("a", 1_020_001)).toBe(false);
});

const steps = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 30_000 })), { minLength: 1, maxLength: 300 });

test("no period allows a key more than a full bucket and the tokens refilled meanwhile", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 90 }), steps, (max, windowSeconds, all) => {
      const buckets = new TokenBuckets({ max, windowSeconds }, 100);
      const taken = new Map<number, number[]>();
      let now = 0;
      for (const [key, waitMs] of all) {
        now += waitMs;
        if (buckets.take(String(key), now)) taken.set(key, [...(taken.get(key) ?? []), now]);
      }
      for (const times of taken.values()) {
        times.forEach((from, first) => {
          times.slice(first).forEach((to, count) => {
            expect(count + 1).toBeLessThanOrEqual(max + ((to - from) * max) / (windowSeconds * 1000) + 1e-6);
          });
        });
      }
    }),
  );
});

test("allows exactly what a simple model allows", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), steps, (max, all) => {
      const buckets = new TokenBuckets({ max, windowSeconds: 60 }, 100);
      const model = new Map<number, { tokens: number; at: number }>();
      let now = 0;
      for (const [key, waitMs] of all) {
        now += waitMs;
        const { tokens, at } = model.get(key) ?? { tokens: max, at: now };
        const here = Math.min(max, tokens + ((now - at) * max) / 60_000);
        // At the exact limit, the buckets and the model may round differently.
        if (Math.abs(here - 1) < 1e-6) return;
        expect(buckets.take(String(key), now)).toBe(here >= 1);
        model.set(key, { tokens: here >= 1 ? here - 1 : here, at: now });
      }
    }),
  );
});

test("remembers at most `capacity` keys, and at least the last quarter of that", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 30 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 300 }),
      (capacity, keys) => {
        const buckets = new TokenBuckets({ max: 1, windowSeconds: 3600 }, capacity);
        const recent: number[] = [];
        for (const key of keys) {
          buckets.spend(String(key), 0);
          expect(buckets.size).toBeLessThanOrEqual(capacity);
          if (recent.includes(key)) recent.splice(recent.indexOf(key), 1);
          recent.unshift(key);
          for (const used of recent.slice(0, Math.floor(capacity / 4)))
            expect(buckets.isEmpty(String(used), 0)).toBe(true);
        }
      },
    ),
  );
});

test("a flood of new keys does not make it forget a key that is over its limit", () => {
  const buckets = new TokenBuckets({ max: 10, windowSeconds: 3600 }, 100);
  for (let spent = 0; spent < 10; spent++) buckets.spend("held back", 0);
  buckets.spend("hardly used", 0);
  for (let key = 0; key < 10_000; key++) {
    buckets.spend(`new ${key}`, 0);
    expect(buckets.size).toBeLessThanOrEqual(100);
  }
  expect(buckets.isEmpty("held back", 0)).toBe(true);
  // Control: a key that has used little is forgotten, which does no harm.
  expect(buckets.isEmpty("hardly used", 0, 10)).toBe(false);
});
