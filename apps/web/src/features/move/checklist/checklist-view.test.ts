import type { ChecklistRowWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { headingOf, shownRows } from "./checklist-view.ts";

const row = (id: string, site: string, done = false, oldAddress = "ann7@duck.com"): ChecklistRowWire => ({
  id,
  site,
  oldAddress,
  aliasId: null,
  done,
});

const rows = [row("1", "shop.example"), row("2", "bank.example", true), row("3", "bank.example", false, "z@duck.com")];
const idsOf = (part: "open" | "done" | "all", query = "", kept: string[] = []) =>
  shownRows(rows, { part, query }, new Set(kept)).map(({ id }) => id);

test("rows of the checklist are filtered, and ordered by site, then by address", () => {
  expect(idsOf("all")).toEqual(["2", "3", "1"]);
  expect(idsOf("open")).toEqual(["3", "1"]);
  expect(idsOf("done")).toEqual(["2"]);
});

test("search covers site and old address, in any case", () => {
  expect(idsOf("all", " BANK ")).toEqual(["2", "3"]);
  expect(idsOf("all", "z@duck")).toEqual(["3"]);
  expect(idsOf("all", "nothing")).toEqual([]);
});

test("a row that was just ticked stays in the list until the filter changes", () => {
  expect(idsOf("open", "", ["2"])).toEqual(["2", "3", "1"]);
});

test("the checklist's heading counts sites, not rows", () => {
  expect(headingOf(rows, String)).toBe("Change your address at 2 sites");
  expect(headingOf(rows.slice(0, 1), String)).toBe("Change your address at 1 site");
});
