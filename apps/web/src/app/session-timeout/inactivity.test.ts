import { sessionTimes } from "@kauke/contract";
import { describe, expect, it } from "vitest";
import { checkDueAt, isCounted, nextLookIn, phaseAt, withActivity, withCheck } from "./inactivity.ts";

const minutes = (count: number) => count * 60_000;
const fresh = { lastActivityAt: 0, checkedAt: 0 };

describe("without activity", () => {
  it.each([
    [0, { name: "active" }],
    [minutes(25) - 1, { name: "active" }],
    [minutes(25), { name: "warning", secondsLeft: 300 }],
    [minutes(25) + 1, { name: "warning", secondsLeft: 300 }],
    [minutes(25) + 1000, { name: "warning", secondsLeft: 299 }],
    [minutes(30) - 1, { name: "warning", secondsLeft: 1 }],
    [minutes(30), { name: "over", overslept: false }],
    [minutes(30) + 5000, { name: "over", overslept: true }],
    [minutes(600), { name: "over", overslept: true }],
    [-minutes(10), { name: "active" }],
  ])("after %i ms: %j", (now, phase) => expect(phaseAt(fresh, now)).toEqual(phase));
});

describe("activity", () => {
  it("counts at most once a second", () => {
    expect(isCounted(fresh, 999)).toBe(false);
    expect(isCounted(fresh, 1000)).toBe(true);
  });

  it("restarts the 30 minutes", () => {
    const state = withActivity(fresh, minutes(24));
    expect(phaseAt(state, minutes(48)).name).toBe("active");
    expect(phaseAt(state, minutes(49)).name).toBe("warning");
  });

  it("does not count while the warning is open, nor after the session's end", () => {
    expect(isCounted(fresh, minutes(25))).toBe(false);
    expect(isCounted(fresh, minutes(31))).toBe(false);
  });

  it("in another tab counts even if it is reported while the warning is open, but not if it is older", () => {
    expect(phaseAt(withActivity(fresh, minutes(20)), minutes(26)).name).toBe("active");
    expect(withActivity({ ...fresh, lastActivityAt: 10 }, 5).lastActivityAt).toBe(10);
  });
});

describe("the session check", () => {
  it("is due five minutes after the previous one if there was activity since", () => {
    const state = withActivity(fresh, 1000);
    expect(checkDueAt(state)).toBe(minutes(5));
    expect(nextLookIn(state, minutes(4))).toBe(minutes(1));
  });

  it("is not made without activity", () => {
    expect(checkDueAt(withCheck(withActivity(fresh, 1000), minutes(5)))).toBe(null);
  });

  it("keeps the server's session alive as long as the page's: the time the server last stored is never before the last activity", () => {
    for (const at of [1, 100, 299, 300, 301, 599, 1700].map((seconds) => seconds * 1000)) {
      let state = withActivity(fresh, at);
      let notedAt = 0;
      for (let due = checkDueAt(state); due !== null; due = checkDueAt(state)) {
        const now = Math.max(due, at);
        // Worst case: the server stored the time of another request almost a minute before this session check, so it
        // does not store the time of the check.
        notedAt = now - 59_999;
        state = withCheck(state, now);
      }
      expect(notedAt).toBeGreaterThanOrEqual(at);
      expect(sessionTimes.idleSeconds).toBe(1800);
    }
  });
});

describe("the timer", () => {
  it("waits for the warning, then for the end of each second", () => {
    const away = withCheck(fresh, minutes(2));
    expect(nextLookIn(away, minutes(2))).toBe(minutes(23));
    expect(nextLookIn(fresh, minutes(25))).toBe(1000);
    expect(nextLookIn(fresh, minutes(25) + 400)).toBe(600);
    expect(nextLookIn(fresh, minutes(30) - 1)).toBe(1);
  });
});
