import { expect, test } from "vitest";
import { firstDayOfWeek, monthsLater, weekdaysOf, weeksOf } from "./month.ts";

const shown = (firstDay: number) =>
  weeksOf(new Date(2026, 10, 1), firstDay).map((week) => week.map((day) => day?.getDate() ?? 0));

test("a month's weeks begin with the given day", () => {
  expect(shown(1)).toEqual([
    [0, 0, 0, 0, 0, 0, 1],
    [2, 3, 4, 5, 6, 7, 8],
    [9, 10, 11, 12, 13, 14, 15],
    [16, 17, 18, 19, 20, 21, 22],
    [23, 24, 25, 26, 27, 28, 29],
    [30, 0, 0, 0, 0, 0, 0],
  ]);
  expect(shown(7)[0]).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test.each([
  ["en-GB", "Monday"],
  ["en-US", "Sunday"],
  ["de", "Montag"],
  ["lt", "pirmadienis"],
])("in %s a week begins with %s", (locale, day) => {
  expect(weekdaysOf(locale, firstDayOfWeek(locale))[0]?.long).toBe(day);
});

test("a month later is the same day, or the last one", () => {
  expect(monthsLater(new Date(2027, 0, 31), 1)).toEqual(new Date(2027, 1, 28));
  expect(monthsLater(new Date(2026, 11, 5), -1)).toEqual(new Date(2026, 10, 5));
});
