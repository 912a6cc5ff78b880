import { expect, it } from "vitest";
import { mayCompose } from "./mail-reserve.ts";

it.each([
  ["at the start of the day", { count: 0, limit: 300 }, 0, true],
  ["with half of the limit left, whatever the account had", { count: 150, limit: 300 }, 150, true],
  ["with less than half left, below a quarter for the account", { count: 151, limit: 300 }, 74, true],
  ["with less than half left, after a quarter for the account", { count: 151, limit: 300 }, 75, false],
  ["with one more than a tenth left", { count: 269, limit: 300 }, 0, true],
  ["with a tenth left", { count: 270, limit: 300 }, 0, false],
  ["with ten left of a small limit", { count: 40, limit: 50 }, 0, false],
  ["with eleven left of a small limit", { count: 39, limit: 50 }, 0, true],
  ["at the start, of a limit below the reserve", { count: 0, limit: 8 }, 0, true],
  ["with half left of a limit below the reserve", { count: 4, limit: 8 }, 0, false],
  ["over the limit", { count: 400, limit: 300 }, 0, false],
])("%s, composed mail goes or waits", (_, standing, had, expected) => {
  expect(mayCompose(standing, had)).toBe(expected);
});

it("each of several processes lets an account have its part of the quarter", () => {
  const standing = { count: 200, limit: 300 };
  expect([18, 19].map((had) => mayCompose(standing, had, 4))).toEqual([true, false]);
});
