/**
 * `docs/specification.md` names source files and tests for every line of the specification: they exist, and no row is
 * empty.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../source-files.ts";

/** The short forms of folders in `docs/specification.md`. */
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

/** The tests that a table cell names: each “name” belongs to the last file before it. */
function namedTests(cell: string): { path: string; name: string }[] {
  let path = "";
  return [...cell.matchAll(/`([\w@./-]+\.\w+)`|“([^”]+)”/g)].flatMap(([, file, name]) => {
    if (file !== undefined) path = file;
    return name === undefined ? [] : [{ path, name }];
  });
}

/** @returns what is wrong with a row of docs/specification.md, one sentence each; empty if nothing is */
function faultsOf(row: Row): string[] {
  if (!states.includes(row.state)) return [`"${row.state}" is not a state`];
  if (row.state !== "met") return [];
  const gone = pathsIn(`${row.code} ${row.tests}`).filter(
    (path) => !existsSync(join(repositoryRoot(), fullPath(path))),
  );
  if (gone.length > 0) return gone.map((path) => `${path} does not exist`);
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

test("every row marked met names files and tests that exist", () => {
  const faults = rows.flatMap((row) => faultsOf(row).map((fault) => `line ${row.line}: ${fault}`));
  expect(faults).toEqual([]);
});

test("all nine sections of the specification are in the document, each with rows", () => {
  const sections = text.split(/^## /m).slice(1);
  const counts = sections.map((section) => [section.split("\n", 1)[0]?.slice(0, 2), readRows(section).length > 3]);
  expect(counts).toEqual(Array.from({ length: 9 }, (_, index) => [`${index + 1}.`, true]));
});

describe("control: how a row is judged", () => {
  const good =
    "| a line | `scripts/source-files.ts` | `scripts/consistency/specification.test.ts` “control: how a row is judged” | met |";
  test.each([
    ["no fault", good, []],
    ["a file that does not exist", good.replace("source-files", "no-such"), ["scripts/no-such.ts does not exist"]],
    [
      "a test that does not exist",
      good.replace("consistency/specification.test.ts", "source-files.ts"),
      ["scripts/source-files.ts has no “control: how a row is judged”"],
    ],
    ["no test", good.replace(/“.*”/, ""), ["no test is named"]],
    ["an unknown state", good.replace("met", "soon"), ['"soon" is not a state']],
  ])("a row with %s", (_, row, faults) => {
    expect(readRows(row).flatMap(faultsOf)).toEqual(faults);
  });
});
