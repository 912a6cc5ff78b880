import { expect, test } from "vitest";
import { pageDescription, pageTitle } from "./page-heads.ts";
import { drawnScreens, screenFor } from "./screens.ts";

test("a page's name stands before the product's; the landing page says what it is", () => {
  expect(pageTitle("privacy")).toBe("Privacy Policy — Kauke");
  expect(pageTitle("landing")).toBe("Kauke — private e-mail aliases");
  expect(pageTitle(null)).toBe(pageTitle("landing"));
});

test("every drawn page but the missing one has a title and a description of its own, of a length that is shown whole", () => {
  const screens = drawnScreens.map(([screen]) => screen).filter((screen) => screen !== "not-found");
  expect(new Set(screens.map(pageTitle)).size).toBe(screens.length);
  expect(new Set(screens.map(pageDescription)).size).toBe(screens.length);
  for (const screen of screens) {
    expect(pageDescription(screen).length).toBeLessThanOrEqual(160);
    expect(pageDescription(screen).length).toBeGreaterThan(50);
  }
});

test("drawn pages are what their path shows to who isn't signed in", () => {
  for (const [screen, path] of drawnScreens) expect(screenFor(path, false)).toBe(screen);
});
