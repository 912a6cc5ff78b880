import { expect, test } from "vitest";
import { findPage, indexedPaths, isPreviewPage } from "./page-routes.ts";

test("a page is found in any case of letters and with slashes at the end", () => {
  expect(findPage("/SETTINGS//")).toMatchObject({ drawn: "auth", begun: "settings", canonicalPath: null });
  expect(findPage("/tErMs")).toMatchObject({ drawn: "terms", canonicalPath: "/terms" });
  expect(isPreviewPage("/Preview/")).toBe(true);
});

test("both paths of the landing page are one for search engines", () => {
  expect(findPage("/")).toEqual(findPage("/home"));
  expect(indexedPaths().filter((path) => path === "/")).toEqual(["/"]);
  expect(indexedPaths()).not.toContain("/home");
});

test("links sent to mailboxes are pages that nobody keeps", () => {
  expect(findPage(`/confirm/${"a".repeat(32)}/not-mine`)).toEqual({ drawn: null, canonicalPath: null });
});

test("names that every object has are no pages", () => {
  for (const path of ["/constructor", "/__proto__", "/toString", "/dashboard/x"]) expect(findPage(path)).toBe(null);
});
