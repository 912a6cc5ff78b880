import { expect, it } from "vitest";
import { forecastText } from "./VaultProgress.tsx";

it.each([
  [null, "Measuring this device…"],
  [0.4, "About a second on this device."],
  [1.7, "About 2 seconds on this device."],
  [20, "About 20 seconds on this device."],
])("%s seconds are shown as a duration", (seconds, text) => {
  expect(forecastText(seconds)).toBe(text);
});

it.each([
  [21, "About 20 seconds"],
  [52, "About 50 seconds"],
  [100, "About 2 minutes"],
  [600, "About 10 minutes"],
])("for %s seconds the text says that this device is slow, and that security is not reduced", (seconds, start) => {
  expect(forecastText(seconds)).toBe(
    `${start}: this browser is slow at this. Security is not reduced; keep the page open.`,
  );
});
