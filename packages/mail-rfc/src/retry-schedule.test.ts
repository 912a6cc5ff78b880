import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailSyntaxError } from "./mail-syntax-error.ts";
import {
  defaultRetrySchedule,
  formatSpan,
  nextAttemptAt,
  parseRetrySchedule,
  scheduleSeconds,
} from "./retry-schedule.ts";

const unitOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

describe("parseRetrySchedule", () => {
  it("parses delays in every unit, with or without spaces", () => {
    expect(parseRetrySchedule("30s,2m, 10m ,2h,1d")).toEqual([30, 120, 600, 7200, 86_400]);
  });

  it("parses every schedule written by the documented rule", () => {
    const wait = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom("s", "m", "h", "d" as const));
    fc.assert(
      fc.property(fc.array(wait, { minLength: 1, maxLength: 20 }), (waits) => {
        const text = waits.map(([count, unit]) => `${count}${unit}`).join(",");
        expect(parseRetrySchedule(text)).toEqual(waits.map(([count, unit]) => count * unitOf[unit as "s"]));
      }),
    );
  });

  it.each([
    ["", '""'],
    ["30s,", '""'],
    ["30s,,2m", '""'],
    ["30s,…", '"…"'],
    ["30s,...", '"..."'],
    ["30", '"30"'],
    ["30s,0m", '"0m"'],
    ["-1s", '"-1s"'],
    ["1.5h", '"1.5h"'],
    ["1H", '"1H"'],
    ["1w", '"1w"'],
    ["31d", '"31d"'],
    ["1 h", '"1 h"'],
    ["9999999999s", '"9999999999s"'],
  ])("refuses %j and names %s", (text, item) => {
    expect(() => parseRetrySchedule(text)).toThrow(new MailSyntaxError("schedule_syntax", item));
  });

  it("refuses more than 100 steps", () => {
    expect(() => parseRetrySchedule("1s,".repeat(100) + "1s")).toThrow("more than 100");
  });

  it("throws nothing but MailSyntaxError", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(parseRetrySchedule(text).every((wait) => wait > 0)).toBe(true);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MailSyntaxError);
        }
      }),
    );
  });
});

describe("the default schedule", () => {
  it.each([
    [1, "1 second"],
    [90, "90 seconds"],
    [120, "2 minutes"],
    [5400, "90 minutes"],
    [86_400, "24 hours"],
    [172_800, "2 days"],
    [scheduleSeconds(defaultRetrySchedule), "5 days"],
  ])("%i seconds are shown as %s", (seconds, text) => {
    expect(formatSpan(seconds)).toBe(text);
  });

  it("begins as documented, never has a shorter delay after a longer one, and lasts five days", () => {
    expect(defaultRetrySchedule.slice(0, 5)).toEqual([30, 120, 600, 1800, 7200]);
    expect(defaultRetrySchedule).toEqual(defaultRetrySchedule.toSorted((a, b) => a - b));
    expect(defaultRetrySchedule.reduce((sum, wait) => sum + wait, 0)).toBe(5 * 86_400);
  });
});

describe("nextAttemptAt", () => {
  const after = new Date("2026-03-01T12:00:00Z");
  const next = (attempts: number, random: number) =>
    nextAttemptAt({ schedule: [30, 600], attempts, after, random: () => random });

  it("uses the delay of the attempt, extended by up to a tenth", () => {
    expect(next(1, 0)).toEqual(new Date("2026-03-01T12:00:30Z"));
    expect(next(2, 0)).toEqual(new Date("2026-03-01T12:10:00Z"));
    expect(next(2, 0.5)).toEqual(new Date("2026-03-01T12:10:30Z"));
  });

  it("returns null when the schedule is exhausted", () => {
    expect(next(3, 0)).toBeNull();
    expect(nextAttemptAt({ schedule: [], attempts: 1, after, random: () => 0 })).toBeNull();
  });
});
