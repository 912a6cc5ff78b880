import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dropFormerAssets, FORMER_FILES_MAX, setAssetsAside } from "./former-assets.ts";

const hour = 3_600_000;
const start = new Date("2026-11-27T10:00:00Z");
const after = (hours: number) => new Date(start.getTime() + hours * hour);

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), "kauke-former-"));
});
afterEach(() => rmSync(dist, { recursive: true }));

function build(names: readonly string[], now: Date): void {
  setAssetsAside(dist, now);
  mkdirSync(join(dist, "assets"), { recursive: true });
  for (const name of names) writeFileSync(join(dist, "assets", name), name);
  dropFormerAssets(dist, now);
}
const filesIn = (folder: string) => readdirSync(join(dist, folder)).sort();

test("the first build has no former files", () => {
  build(["a-1.js"], start);
  expect([filesIn("assets"), readdirSync(dist)]).toEqual([["a-1.js"], ["assets"]]);
});

test("files of the last build are kept for a day after they were replaced, however old the build was", () => {
  build(["a-1.js", "a-1.js.br", "b-1.js"], start);
  build(["a-2.js", "b-1.js"], after(1000));
  expect([filesIn("assets"), filesIn("former/assets")]).toEqual([
    ["a-2.js", "b-1.js"],
    ["a-1.js", "a-1.js.br"],
  ]);
  build(["a-3.js", "b-1.js"], after(1023));
  expect(filesIn("former/assets")).toEqual(["a-1.js", "a-1.js.br", "a-2.js"]);
  build(["a-3.js", "b-1.js"], after(1025));
  expect(filesIn("former/assets")).toEqual(["a-2.js"]);
});

test("a file that a later build has again is its own, and counts from when it is replaced again", () => {
  build(["a-1.js"], start);
  build(["a-2.js"], after(1));
  build(["a-1.js"], after(2));
  expect([filesIn("assets"), filesIn("former/assets")]).toEqual([["a-1.js"], ["a-2.js"]]);
  build(["a-3.js"], after(25));
  expect(filesIn("former/assets")).toEqual(["a-1.js", "a-2.js"]);
});

test("after a failed build the last one's files are still there, and the next build keeps them", () => {
  build(["a-1.js"], start);
  setAssetsAside(dist, after(1));
  expect(filesIn("former/assets")).toEqual(["a-1.js"]);
  build(["a-2.js"], after(2));
  expect(filesIn("former/assets")).toEqual(["a-1.js"]);
});

test("many builds in a day keep a limited number of files, the last replaced", () => {
  const names = (turn: number) => Array.from({ length: FORMER_FILES_MAX / 2 }, (_, place) => `${place}-${turn}.js`);
  for (const turn of [1, 2, 3, 4]) build(names(turn), after(turn));
  const kept = filesIn("former/assets");
  expect(kept).toHaveLength(FORMER_FILES_MAX);
  expect(kept.every((name) => /-[23]\.js$/.test(name))).toBe(true);
});
