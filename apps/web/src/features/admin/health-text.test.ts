import type { HealthCheckWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { checkTitle, daysAwayText, verdictOf } from "./health-text.ts";

const checks = (...states: HealthCheckWire["state"][]) =>
  states.map((state): HealthCheckWire => ({ state, check: "port", subject: "mx 25", says: "It answers." }));

test("one sentence tells whether something has to be fixed", () => {
  expect(verdictOf(checks("ok", "ok"))).toEqual({
    mark: "ok",
    title: "Everything works",
    text: "All 2 checks passed.",
  });
  expect(verdictOf(checks("ok", "warn"))).toMatchObject({ mark: "ok", text: expect.stringContaining("1 thing is") });
  expect(verdictOf(checks("fix", "warn", "warn"))).toMatchObject({ mark: "fix", title: "1 thing to fix" });
  expect(verdictOf(checks("fix", "fix", "warn", "warn")).text).toContain("2 more are worth knowing.");
});

test("a check's name becomes a title", () => {
  expect(checkTitle("reverse-name")).toBe("Reverse name");
  expect(checkTitle("operator-mail")).toBe("Mail to postmaster");
});

test.each([
  ["2026-09-28T09:00:00Z", "today"],
  ["2026-09-27T09:00:00Z", "yesterday"],
  ["2026-09-25T10:00:00Z", "3 days ago"],
  ["2026-09-29T10:00:00Z", "tomorrow"],
  ["2026-10-28T10:00:00Z", "in 30 days"],
])("%s is %s", (iso, text) => {
  expect(daysAwayText(iso, Date.parse("2026-09-28T10:00:00Z"))).toBe(text);
});
