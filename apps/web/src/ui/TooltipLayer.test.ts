import { expect, test } from "vitest";
import { placeTip, tooltipDelayMs } from "./TooltipLayer.tsx";

test("the first tooltip opens after 700 ms, another within 300 ms of its closing opens at once", () => {
  expect(tooltipDelayMs(5000, null)).toBe(700);
  expect(tooltipDelayMs(5000, 4700)).toBe(0);
  expect(tooltipDelayMs(5000, 4699)).toBe(700);
});

test("a tooltip is above its anchor, or below if there is no room, and always inside the window", () => {
  const tip = { width: 100, height: 28 };
  expect(placeTip({ left: 200, top: 100, width: 20, height: 20 }, tip, 390)).toEqual({ left: 160, top: 66 });
  expect(placeTip({ left: 200, top: 10, width: 20, height: 20 }, tip, 390)).toEqual({ left: 160, top: 36 });
  expect(placeTip({ left: 380, top: 100, width: 10, height: 20 }, tip, 390).left).toBe(282);
  expect(placeTip({ left: 0, top: 100, width: 10, height: 20 }, tip, 390).left).toBe(8);
});
