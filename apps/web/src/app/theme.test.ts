import { expect, test } from "vitest";
import { oppositeTheme, themeOf } from "./theme.ts";

test("the toggle goes from what is seen to the other", () => {
  expect(oppositeTheme("light", true)).toBe("dark");
  expect(oppositeTheme("dark", false)).toBe("light");
  expect(oppositeTheme("system", true)).toBe("light");
  expect(oppositeTheme("system", false)).toBe("dark");
});

test("what is stored is one of three, and light when it is nothing of ours", () => {
  expect(["light", "dark", "system", null, "", "DARK", "sepia"].map(themeOf)).toEqual([
    "light",
    "dark",
    "system",
    "light",
    "light",
    "light",
    "light",
  ]);
});
