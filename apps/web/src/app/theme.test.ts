import { expect, test } from "vitest";
import { oppositeTheme, themeOf } from "./theme.ts";

test("the toggle switches to the opposite of the theme that is shown", () => {
  expect(oppositeTheme("light", true)).toBe("dark");
  expect(oppositeTheme("dark", false)).toBe("light");
  expect(oppositeTheme("system", true)).toBe("light");
  expect(oppositeTheme("system", false)).toBe("dark");
});

test("a stored theme is light, dark or system, and any other value reads as light", () => {
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
