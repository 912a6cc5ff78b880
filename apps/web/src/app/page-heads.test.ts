import { expect, test } from "vitest";
import { pageDescription, pageTitle } from "./page-heads.ts";
import { drawnScreens, screenFor } from "./screens.ts";

test("a page's name precedes the product's, and the landing page's title says what the product is", () => {
  expect(pageTitle("privacy")).toBe("Privacy Policy — Kauke");
  expect(pageTitle("landing")).toBe("Kauke — private e-mail aliases");
  expect(pageTitle(null)).toBe(pageTitle("landing"));
});

test("every prerendered page except not-found has its own title and description, short enough to be shown whole", () => {
  const screens = drawnScreens.map(([screen]) => screen).filter((screen) => screen !== "not-found");
  expect(new Set(screens.map(pageTitle)).size).toBe(screens.length);
  expect(new Set(screens.map(pageDescription)).size).toBe(screens.length);
  for (const screen of screens) {
    expect(pageDescription(screen).length).toBeLessThanOrEqual(160);
    expect(pageDescription(screen).length).toBeGreaterThan(50);
  }
});

test("prerendered pages are those that signed-out visitors see at the same paths", () => {
  for (const [screen, path] of drawnScreens) expect(screenFor(path, false)).toBe(screen);
});
