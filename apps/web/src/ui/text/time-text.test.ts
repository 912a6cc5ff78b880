import { afterEach, expect, test, vi } from "vitest";
import { countdownText, dayText, fileSizeText, preciseTimeText, timeText } from "./time-text.ts";

const at = (text: string): Date => new Date(text);

test("a time today shows the hour, on another day also the day, and in another year also the year", () => {
  const now = at("2026-03-05T10:00:00");
  expect(timeText(at("2026-03-05T14:30:00").toISOString(), now)).toBe("14:30");
  expect(timeText(at("2026-03-06T09:05:00").toISOString(), now)).toBe("6 Mar, 09:05");
  expect(timeText(at("2025-03-06T09:05:00").toISOString(), now)).toBe("6 Mar 2025, 09:05");
  expect(preciseTimeText(at("2026-03-05T14:30:07").toISOString(), now)).toBe("14:30:07");
  expect(preciseTimeText(at("2026-03-04T14:30:07").toISOString(), now)).toBe("4 Mar, 14:30");
});

test("a day is shown with its year, and every month with three letters", () => {
  expect(dayText(at("2025-02-12T14:30:00").toISOString())).toBe("12 Feb 2025");
  expect(dayText(at("2025-09-03T00:05:00").toISOString())).toBe("3 Sep 2025");
});

test("an invalid time gives an empty text", () => {
  expect(dayText("soon")).toBe("");
  expect(timeText("soon")).toBe("");
  expect(preciseTimeText("")).toBe("");
});

test("sizes are shown in short units", () => {
  expect(fileSizeText(0)).toBe("0 B");
  expect(fileSizeText(1023)).toBe("1023 B");
  expect(fileSizeText(4200)).toBe("4.1 KB");
  expect(fileSizeText(26_214_400)).toBe("25.0 MB");
});

test.each([
  [30_000, "0:30"],
  [29_999, "0:30"],
  [26_500, "0:27"],
  [9000, "0:09"],
  [1, "0:01"],
  [0, "0:00"],
  [-5000, "0:00"],
  [90_000, "1:30"],
])("%i ms is shown as %s", (leftMs, text) => {
  expect(countdownText(leftMs)).toBe(text);
});

afterEach(() => {
  globalThis.kaukeTexts = undefined;
});

test.each([
  ["de", "6. März, 09:05", "6. März 2025, 09:05", "3. Sept. 2025", "4,1 KB"],
  ["lt", "03-06, 09:05", "2025-03-06, 09:05", "2025-09-03", "4,1 KB"],
])("days and sizes are written as in the language %s", async (language, inYear, inOtherYear, date, size) => {
  globalThis.kaukeTexts = { "": language };
  vi.resetModules();
  const texts = await import("./time-text.ts");
  const now = at("2026-03-05T10:00:00");
  expect(texts.timeText(at("2026-03-06T09:05:00").toISOString(), now)).toBe(inYear);
  expect(texts.timeText(at("2025-03-06T09:05:00").toISOString(), now)).toBe(inOtherYear);
  expect(texts.dayText(at("2025-09-03T00:05:00").toISOString())).toBe(date);
  expect(texts.fileSizeText(4200)).toBe(size);
});
