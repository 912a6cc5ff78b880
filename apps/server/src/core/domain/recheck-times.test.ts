import fc from "fast-check";
import { expect, test } from "vitest";
import { nextCheckAt } from "./recheck-times.ts";

const HOUR = 3_600_000;
const now = new Date("2026-03-01T12:00:00.000Z");
const hours = (state: "new" | "proven" | "failing", look: { until?: number; unanswered?: number; spread?: number }) => {
  const stateUntil = look.until === undefined ? null : new Date(now.getTime() + look.until * HOUR);
  const last = { now, unansweredChecks: look.unanswered ?? 0, spread: look.spread ?? 0.5 };
  const next = nextCheckAt({ state, stateUntil }, last);
  return next === null ? null : (next.getTime() - now.getTime()) / HOUR;
};

test("a domain is looked at again about a day later, a new one never", () => {
  expect([hours("proven", { spread: 0 }), hours("proven", {}), hours("new", {})]).toEqual([22, 24, null]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (spread) => {
      expect(hours("proven", { spread })).toBeGreaterThanOrEqual(22);
      expect(hours("proven", { spread })).toBeLessThanOrEqual(26);
    }),
  );
});

test("a state that ends sooner is looked at when it ends", () => {
  expect([hours("failing", { until: 5 }), hours("failing", { until: 50 })]).toEqual([5, 24]);
});

test("a domain of which DNS says nothing is tried after a quarter of an hour, then ever later", () => {
  const tries = [1, 2, 3, 7, 8, 5000].map((unanswered) => hours("proven", { unanswered }));
  expect(tries).toEqual([0.25, 0.5, 1, 16, 24, 24]);
  expect(hours("failing", { unanswered: 8, until: -5 })).toBe(24);
});
