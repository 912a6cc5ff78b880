/** docs/limits.md: every row of its tables is filled and names a test file that exists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";

const COLUMNS = ["Limit", "Value", "Scope", "Share of one party", "Who gives way", "Attack test"];

/** @returns the cells of each row of the page's tables, without their headings */
function rowsOf(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|") && !/^\|(?: ?-+ ?\|)+$/.test(line));
  const rows = lines.map((line) => {
    const cells = line.slice(1, -1).split("|");
    return cells.map((cell) => cell.trim());
  });
  return rows.filter(([first]) => first !== COLUMNS[0]);
}

const namesOf = (cell: string): string[] => [...cell.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => name ?? "");

const tests = repositoryFiles(repositoryRoot()).filter((path) => path.endsWith(".test.ts"));
const isThere = (name: string): boolean => tests.some((path) => path === name || path.endsWith(`/${name}`));

describe("the tables of docs/limits.md", () => {
  const rows = rowsOf(readFileSync(join(repositoryRoot(), "docs/limits.md"), "utf8"));

  it("have rows of filled cells, one for each column", () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const row of rows) {
      expect(row, row.join("|")).toHaveLength(COLUMNS.length);
      for (const cell of row) expect(cell, row.join("|")).not.toBe("");
    }
  });

  it.each(rows.map((row) => [row[0] ?? "", row.at(-1) ?? ""]))("name a test file that exists: %s", (_, cell) => {
    expect(namesOf(cell).length).toBeGreaterThan(0);
    for (const name of namesOf(cell)) expect(isThere(name), name).toBe(true);
  });

  it("control: a row without a test and a test file that does not exist are reported", () => {
    expect(rowsOf("## A\n\n| Limit | a |\n|---|---|\n| x | y |\n\ntext")).toEqual([["x", "y"]]);
    expect(namesOf("nothing")).toEqual([]);
    expect(isThere("attacks/nowhere.test.ts")).toBe(false);
  });
});
