import { expect, test } from "vitest";
import { timeLeft } from "./LockNow.tsx";

test.each([
  [600_000, "10:00"],
  [581_000, "9:41"],
  [59_001, "1:00"],
  [5000, "0:05"],
  [-1, "0:00"],
])("%i milliseconds are %s", (ms, text) => expect(timeLeft(ms)).toBe(text));
