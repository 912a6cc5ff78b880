/** `docs/specification.md` names files and tests for every line of the specification: they are there, and every row is filled. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../source-files.ts";

/** What the table writes short. */
const folders: readonly (readonly [short: string, folder: string])[] = [
  ["web/", "apps/web/src/"],
  ["server/", "apps/server/src/"],
  ["server-test/", "apps/server/test/"],
  ["contract/", "packages/contract/src/"],
  ["age/", "packages/age/src/"],
];

const states = ["met", "no rule"];

interface Row {
  line: number;
  said: string;
  code: string;
  tests: string;
  state: string;
}

function readRows(text: string): Row[] {
  return text.split("\n").flatMap((content, index) => {
    const cells = content.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (cells.length !== 6 || cells[1] === "Line" || /^-+$/.test(cells[1] ?? "")) return [];
    const [, said = "", code = "", tests = "", state = ""] = cells;
    return [{ line: index + 1, said, code, tests, state }];
  });
}

function fullPath(short: string): string {
  const known = folders.find(([prefix]) => short.startsWith(prefix));
  return known === undefined ? short : known[1] + short.slice(known[0].length);
}

const pathsIn = (cell: string) => [...cell.matchAll(/`([\w@./-]+\.\w+)`/g)].map((match) => match[1] as string);

/** Every “name” belongs to the last file before it. */
function namedTests(cell: string): { path: string; name: string }[] {
  let path = "";
  return [...cell.matchAll(/`([\w@./-]+\.\w+)`|“([^”]+)”/g)].flatMap(([, file, name]) => {
    if (file !== undefined) path = file;
    return name === undefined ? [] : [{ path, name }];
  });
}

/** @returns what is wrong with the row, in words; empty when nothing is */
function faultsOf(row: Row): string[] {
  if (!states.includes(row.state)) return [`"${row.state}" is no state`];
  if (row.state !== "met") return [];
  const gone = pathsIn(`${row.code} ${row.tests}`).filter(
    (path) => !existsSync(join(repositoryRoot(), fullPath(path))),
  );
  if (gone.length > 0) return gone.map((path) => `${path} is not there`);
  const named = namedTests(row.tests);
  const unknown = named.filter(({ path, name }) => !sourceOf(path).includes(name));
  return [
    ...unknown.map(({ path, name }) => `${path} has no “${name}”`),
    ...(pathsIn(row.code).length === 0 ? ["no file is named"] : []),
    ...(named.length === 0 ? ["no test is named"] : []),
  ];
}

const sources = new Map<string, string>();
function sourceOf(path: string): string {
  const known = sources.get(path) ?? readFileSync(join(repositoryRoot(), fullPath(path)), "utf8");
  sources.set(path, known);
  return known;
}

const text = readFileSync(join(repositoryRoot(), "docs/specification.md"), "utf8");
const rows = readRows(text);

test("every row that is met names files and tests that are there", () => {
  const faults = rows.flatMap((row) => faultsOf(row).map((fault) => `line ${row.line}: ${fault}`));
  expect(faults).toEqual([]);
});

test("all nine sections of the specification are there, each with its rows", () => {
  const sections = text.split(/^## /m).slice(1);
  const counts = sections.map((section) => [section.split("\n", 1)[0]?.slice(0, 2), readRows(section).length > 3]);
  expect(counts).toEqual(Array.from({ length: 9 }, (_, index) => [`${index + 1}.`, true]));
});

describe("the reading itself", () => {
  const good =
    "| a line | `scripts/source-files.ts` | `scripts/consistency/specification.test.ts` “the reading itself” | met |";
  test.each([
    ["a row that is in order", good, []],
    ["a file that is gone", good.replace("source-files", "no-such"), ["scripts/no-such.ts is not there"]],
    [
      "a test that is gone",
      good.replace("consistency/specification.test.ts", "source-files.ts"),
      ["scripts/source-files.ts has no “the reading itself”"],
    ],
    ["a row without a test", good.replace(/“.*”/, ""), ["no test is named"]],
    ["a state nobody knows", good.replace("met", "soon"), ['"soon" is no state']],
  ])("judges %s", (_, row, faults) => {
    expect(readRows(row).flatMap(faultsOf)).toEqual(faults);
  });
});
