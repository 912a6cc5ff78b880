import { expect, test } from "vitest";
import { countdownText } from "./countdown-text.ts";

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
