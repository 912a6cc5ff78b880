/** SECURITY.md's table of resources: every row has a bound and names a test file that exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../source-files.ts";

const HEADING = "## Resources a stranger or an account can use up";

function rowsOf(text: string): string[][] {
  const [, section = ""] = text.split(`${HEADING}\n`);
  const lines = (section.split("\n## ", 1)[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines
    .filter((line) => !/^\|(?: ?-+ ?\|)+$/.test(line) && !line.startsWith("| Resource |"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

const namesOf = (cell: string): string[] => [...cell.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => name ?? "");

/** SECURITY.md's table gives paths of tests relative to one of these folders. */
const folders = ["apps/server/test", "apps/server/src", "apps/server", "."];
const isThere = (name: string): boolean => folders.some((folder) => existsSync(join(repositoryRoot(), folder, name)));

describe("SECURITY.md's table of resources", () => {
  const rows = rowsOf(readFileSync(join(repositoryRoot(), "SECURITY.md"), "utf8"));

  it("has rows of five filled cells: resource, bound, share, what is evicted or refused, and test", () => {
    expect(rows.length).toBeGreaterThan(40);
    for (const row of rows) {
      expect(row, row.join("|")).toHaveLength(5);
      for (const cell of row) expect(cell, row.join("|")).not.toBe("");
    }
  });

  it.each(rows.map(([resource = "", , , , tests = ""]) => [resource, tests]))(
    "names a test file that exists: %s",
    (_, tests) => {
      expect(namesOf(tests).length).toBeGreaterThan(0);
      for (const name of namesOf(tests)) expect(isThere(name), name).toBe(true);
    },
  );

  it("control: a row without a test and a test file that does not exist are reported", () => {
    expect(rowsOf(`${HEADING}\n\n| Resource | a |\n|---|---|\n| x | y |\n\n## Next\n| z |`)).toEqual([["x", "y"]]);
    expect(namesOf("nothing")).toEqual([]);
    expect(isThere("attacks/nowhere.test.ts")).toBe(false);
  });
});
