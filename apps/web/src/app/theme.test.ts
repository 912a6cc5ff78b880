import { expect, test } from "vitest";
import { oppositeTheme } from "./theme.ts";

test("the toggle goes from what is seen to the other", () => {
  expect(oppositeTheme("light", true)).toBe("dark");
  expect(oppositeTheme("dark", false)).toBe("light");
  expect(oppositeTheme("system", true)).toBe("light");
  expect(oppositeTheme("system", false)).toBe("dark");
});
