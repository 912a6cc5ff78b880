/** docs/specification.md: the places and tests that its rows name exist. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";

interface Row {
  promise: string;
  place: string;
  tests: string;
}

function readRows(text: string): Row[] {
  return text.split("\n").flatMap((line) => {
    const [, promise = "", place = "", tests = "", end] = line.split("|").map((cell) => cell.trim());
    return end !== "" || promise === "Promise" || /^-+$/.test(promise) ? [] : [{ promise, place, tests }];
  });
}

const files = repositoryFiles(repositoryRoot()).map((path) => `/${path}`);
const namedIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
/** Whether a file or folder has this path or the end of it. */
const isThere = (path: string): boolean =>
  files.some((file) => file.endsWith(`/${path}`) || file.includes(`/${path}/`));
const isTest = (path: string): boolean => /\.(?:test|e2e)\.tsx?$/.test(path);

/** @returns what is wrong with a row, one sentence each; empty if nothing is */
function faultsOf({ place, tests }: Row): string[] {
  const places = namedIn(place);
  const shown = namedIn(tests);
  return [
    ...(places.length === 0 ? ["no place is named"] : []),
    ...(shown.length === 0 ? ["no test is named"] : []),
    ...shown.filter((path) => !isTest(path)).map((path) => `${path} is no test`),
    ...[...places, ...shown].filter((path) => !isThere(path)).map((path) => `${path} does not exist`),
  ];
}

const text = readFileSync(join(repositoryRoot(), "docs/specification.md"), "utf8");

test("every row names places and tests that exist", () => {
  const rows = readRows(text);
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.flatMap((row) => faultsOf(row).map((fault) => `${row.promise}: ${fault}`))).toEqual([]);
});

test("every section has rows", () => {
  const sections = text.split(/^## /m).slice(1);
  expect(sections.map((section) => readRows(section).length > 1)).toEqual(Array.from({ length: 10 }, () => true));
});

describe("control: how a row is judged", () => {
  const good = "| a line | `scripts/consistency` | `consistency/specification.test.ts` |";
  test.each([
    ["no fault", good, []],
    [
      "a place that does not exist",
      good.replace("`scripts/consistency`", "`scripts/no-such`"),
      ["scripts/no-such does not exist"],
    ],
    [
      "a test that does not exist",
      good.replace("specification.test", "no-such.test"),
      ["consistency/no-such.test.ts does not exist"],
    ],
    [
      "a file that is no test",
      good.replace("specification.test.ts", "replaced-words.ts"),
      ["consistency/replaced-words.ts is no test"],
    ],
    ["no test", good.replace("`consistency/specification.test.ts`", ""), ["no test is named"]],
  ])("a row with %s", (_, row, faults) => {
    expect(readRows(row).flatMap(faultsOf)).toEqual(faults);
  });
});
