import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DomainStanding, type DomainVerdict, standingAfter } from "./domain-standing.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = new Date("2026-03-01T12:00:00.000Z");
const at = (ms: number) => new Date(start.getTime() + ms);
const nothing = { failingSince: null, stateUntil: null, countedAt: null };
const proven: DomainStanding = { state: "proven", ...nothing };
const fresh: DomainStanding = { state: "new", ...nothing };

/** Daily checks, the first at `start`. */
function afterDays(days: number, verdictOn: (day: number) => DomainVerdict = () => "fails"): DomainStanding {
  let standing = proven;
  for (let day = 0; day <= days; day++) standing = standingAfter(standing, verdictOn(day), at(day * DAY));
  return standing;
}

/** Checks at any time, also before the last: the clock is set back and forward. */
const checks = fc.array(
  fc.record({
    verdict: fc.constantFrom<DomainVerdict>("fails", "fails", "fails", "unknown", "proves"),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 3 * DAY }), fc.integer({ min: -5000 * DAY, max: 5000 * DAY })),
  }),
  { maxLength: 80 },
);
const states = ["proven", "failing", "suspended", "closed", "new"];

describe("the standing of a domain", () => {
  it("goes on for 7 days, waits for 7, is closed for 30, and then is no longer the account's", () => {
    expect(afterDays(0)).toEqual({ state: "failing", failingSince: start, stateUntil: at(7 * DAY), countedAt: start });
    expect(afterDays(6)).toMatchObject({ state: "failing", stateUntil: at(7 * DAY) });
    expect(afterDays(7)).toMatchObject({ state: "suspended", failingSince: start, stateUntil: at(14 * DAY) });
    expect(afterDays(13).state).toBe("suspended");
    expect(afterDays(14)).toMatchObject({ state: "closed", failingSince: start, stateUntil: at(44 * DAY) });
    expect(afterDays(43).state).toBe("closed");
    expect(afterDays(44)).toEqual(fresh);
    expect(afterDays(60)).toEqual(fresh);
  });

  it.each([0, 6, 7, 13, 14, 43, 44])("is proven at once by a check that proves, after %i days", (days) => {
    expect(standingAfter(afterDays(days), "proves", at((days + 1) * DAY))).toEqual(proven);
  });

  it("does not change while DNS does not answer, however long", () => {
    for (const days of [0, 7, 14]) {
      const standing = afterDays(days);
      expect(standingAfter(standing, "unknown", at(5000 * DAY))).toBe(standing);
    }
    expect(standingAfter(proven, "unknown", start)).toBe(proven);
  });

  it("of a domain that was never proven is changed by a proof only", () => {
    expect(standingAfter(fresh, "fails", start)).toBe(fresh);
    expect(standingAfter(fresh, "unknown", start)).toBe(fresh);
    expect(standingAfter(fresh, "proves", start)).toEqual(proven);
  });

  it("counts a day and a half for one check, when the clock has jumped or the server was off", () => {
    const failing = afterDays(0);
    const later = standingAfter(failing, "fails", at(5000 * DAY));
    expect(later).toEqual({ ...failing, stateUntil: at(5000 * DAY + 5.5 * DAY), countedAt: at(5000 * DAY) });
    const back = standingAfter(later, "fails", at(HOUR));
    expect(back).toEqual({ ...failing, stateUntil: at(HOUR + 5.5 * DAY), countedAt: at(HOUR) });
  });

  it("never moves more than one step, nor past a proof, whatever the checks and the clock", () => {
    fc.assert(
      fc.property(checks, (made) => {
        let standing = proven;
        let ms = 0;
        for (const { verdict, afterMs } of made) {
          ms += afterMs;
          const next = standingAfter(standing, verdict, at(ms));
          const steps = states.indexOf(next.state) - states.indexOf(standing.state);
          if (verdict === "proves") expect(next).toEqual(proven);
          else if (verdict === "unknown") expect(next).toBe(standing);
          else expect([0, 1]).toContain(steps);
          const isGrace = next.state !== "proven" && next.state !== "new";
          expect([next.failingSince, next.stateUntil, next.countedAt].map((one) => one !== null)).toEqual(
            Array(3).fill(isGrace),
          );
          standing = next;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("needs five failing checks for each week and twenty for the last month, whatever the clock says", () => {
    fc.assert(
      fc.property(checks, (made) => {
        let standing = proven;
        let ms = 0;
        let fails = 0;
        for (const { verdict, afterMs } of made) {
          ms += afterMs;
          const before = standing.state;
          standing = standingAfter(standing, verdict, at(ms));
          if (verdict === "fails") fails += 1;
          if (standing.state === before) continue;
          const least = { failing: 1, suspended: 5, closed: 5, new: 20, proven: 0 }[standing.state];
          expect(fails).toBeGreaterThanOrEqual(least);
          fails = 0;
        }
      }),
      { numRuns: 500 },
    );
  });
});
