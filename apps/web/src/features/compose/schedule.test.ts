import { expect, test } from "vitest";
import { localText, presetsOf, scheduleProblem } from "./schedule.ts";

const presets = (text: string) => presetsOf(new Date(text)).map(({ label, at }) => `${label} ${localText(at)}`);

test("the presets are ahead, and Monday is offered unless it is tomorrow", () => {
  expect(presets("2026-03-05T10:20:00")).toEqual([
    "In one hour 2026-03-05T11:20",
    "This evening 2026-03-05T18:00",
    "Tomorrow morning 2026-03-06T08:00",
    "Monday morning 2026-03-09T08:00",
  ]);
  expect(presets("2026-03-08T17:30:00")).toEqual(["In one hour 2026-03-08T18:30", "Tomorrow morning 2026-03-09T08:00"]);
  expect(presets("2026-12-31T23:50:00")[1]).toBe("Tomorrow morning 2027-01-01T08:00");
});

test.each([
  ["", "Please choose a day and a time"],
  ["2026-03-05T10:19", "This time has passed"],
  ["2027-03-06T10:20", "A message can wait 365 days at most"],
  ["2026-03-05T10:21", null],
])("the time %j: %j", (text, problem) => {
  expect(scheduleProblem(text, new Date("2026-03-05T10:20:00"))).toBe(problem);
});
