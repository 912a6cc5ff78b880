import { settingsGroups } from "@kauke/contract";
import { expect, test } from "vitest";
import { findPage, indexedPaths, isPreviewPage } from "./page-routes.ts";

test("a page is found in any letter case and with trailing slashes", () => {
  expect(findPage("/SETTINGS//")).toMatchObject({ drawn: "auth", begun: "settings", canonicalPath: null });
  expect(findPage("/tErMs")).toMatchObject({ drawn: "terms", canonicalPath: "/terms" });
  expect(isPreviewPage("/Preview/")).toBe(true);
});

test("each group of settings is a page for signed-in users, and other names are none", () => {
  for (const name of settingsGroups)
    expect(findPage(`/settings/${name}`)).toMatchObject({ drawn: "auth", begun: "settings", canonicalPath: null });
  for (const path of ["/settings/nothing", "/settings/mail/x", "/settings/encryption"])
    expect(findPage(path)).toBe(null);
});

test("the admin page is a page for signed-in users, which is not indexed", () => {
  expect(findPage("/admin")).toEqual({ drawn: "auth", begun: "admin", isIndexed: false, canonicalPath: null });
  expect(indexedPaths()).not.toContain("/admin");
});

test("both paths of the landing page have one canonical path", () => {
  expect(findPage("/")).toEqual(findPage("/home"));
  expect(indexedPaths().filter((path) => path === "/")).toEqual(["/"]);
  expect(indexedPaths()).not.toContain("/home");
});

test("pages of mailed links are not indexed", () => {
  expect(findPage(`/confirm/${"a".repeat(32)}/not-mine`)).toEqual({ drawn: null, canonicalPath: null });
});

test("property names of Object are not pages", () => {
  for (const path of ["/constructor", "/__proto__", "/toString", "/dashboard/x"]) expect(findPage(path)).toBe(null);
});
