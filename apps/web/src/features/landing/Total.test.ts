import { expect, test } from "vitest";
import { closingFigure, totalFigure } from "./Total.tsx";

const known = (users: number, aliases = 0) => ({ state: "known", value: { users, aliases } }) as const;

test("totals are shown with thousands separators and without a plus sign", () => {
  expect(totalFigure(known(1_234_567, 89), "users")).toEqual({ text: "1,234,567", isPending: false });
  expect(totalFigure(known(1_234_567, 89), "aliases")).toEqual({ text: "89", isPending: false });
});

test.each([
  [1000, "1k+"],
  [31_999, "31k+"],
  [1_200_500, "1200k+"],
])("%s users are %s in the closing call", (users, text) => {
  expect(closingFigure(known(users))).toEqual({ text, isPending: false });
});

test("below a thousand users the closing call has no number", () => {
  for (const users of [0, 1, 999]) expect(closingFigure(known(users))).toBeNull();
});

test("the last announced figures replace those that failed to load, and are covered while loading", () => {
  expect(totalFigure({ state: "failed" }, "users")).toEqual({ text: "31,000+", isPending: false });
  expect(closingFigure({ state: "failed" })).toEqual({ text: "31k+", isPending: false });
  expect(totalFigure({ state: "asking" }, "aliases")).toEqual({ text: "31,000+", isPending: true });
  expect(closingFigure({ state: "asking" })).toEqual({ text: "31k+", isPending: true });
});
