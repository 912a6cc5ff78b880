import { settingsGroups } from "@kauke/contract";
import { expect, test } from "vitest";
import { partOfAnchor, settingsParts } from "./settings-index.ts";

test("the index lists every group that is a page, once", () => {
  const paths = settingsParts.map(({ path }) => path);
  expect(paths).toEqual(["/settings", ...settingsGroups.map((name) => `/settings/${name}`)]);
});

test("each row has a title of its own, by which the palette finds it", () => {
  const titles = settingsParts.flatMap(({ rows }) => rows.map(({ title }) => title));
  expect(new Set(titles).size).toBe(titles.length);
});

test("an anchor leads to its group, those of a sign-in at the issuer to the account", () => {
  expect(partOfAnchor("api-keys")?.path).toBe("/settings/programs");
  expect(partOfAnchor("google-linked")?.path).toBe("/settings/account");
  expect(partOfAnchor("signed-in-for-change-email")?.path).toBe("/settings/account");
  expect(partOfAnchor("nothing")).toBeUndefined();
});
