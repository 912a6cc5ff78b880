import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

type Entry = Record<string, unknown>;

const clean: Record<string, Entry> = {
  "": { dependencies: { one: "1.2.3" }, optionalDependencies: { two: "2.0.0" } },
  "packages/part": { version: "1.0.0", dependencies: { one: "1.2.3" } },
  "node_modules/@own/part": { resolved: "packages/part", link: true },
  "node_modules/one": { version: "1.2.3", license: "MIT", dependencies: { loose: "^1.0.0" } },
  "node_modules/two": { version: "2.0.0", license: "(MIT OR GPL-3.0)", optionalDependencies: { three: "3.0.0" } },
  "node_modules/two/node_modules/three": { version: "3.0.0", license: "Apache-2.0 AND MIT" },
};

function check(change: Record<string, Entry>): { code: number | null; problems: string } {
  const folder = mkdtempSync(join(tmpdir(), "kauke-lock-"));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { ...clean, ...change } }));
  return run(folder);
}

function run(folder: string) {
  const program = join(import.meta.dirname, "check-lock.mjs");
  const { status, stderr } = spawnSync(process.execPath, [program, folder], { encoding: "utf8" });
  return { code: status, problems: stderr };
}

test("a complete lock file with exact versions and free licences passes", () => {
  expect(check({})).toEqual({ code: 0, problems: "" });
});

const planted: readonly (readonly [what: string, change: Record<string, Entry>, says: RegExp])[] = [
  [
    "a platform package without an entry",
    { "node_modules/one": { license: "MIT", optionalDependencies: { "one-linux-arm64": "1.0.0" } } },
    /one-linux-arm64, which has no entry/,
  ],
  [
    "an entry only beside another package",
    { "node_modules/one": { license: "MIT", optionalDependencies: { three: "3.0.0" } } },
    /three, which has no entry/,
  ],
  [
    "a fixed address",
    { "node_modules/one": { license: "MIT", resolved: "https://host.example/one.tgz" } },
    /fixed address/,
  ],
  [
    "a range instead of a version",
    { "packages/part": { devDependencies: { one: "^1.2.3" } } },
    /part asks for one \^1\.2\.3/,
  ],
  ["a tag instead of a version", { "": { dependencies: { one: "latest" } } }, /the root asks for one latest/],
  ["an install script", { "node_modules/one": { license: "MIT", hasInstallScript: true } }, /install script/],
  ["a copyleft licence", { "node_modules/one": { license: "AGPL-3.0-only" } }, /licence AGPL-3\.0-only/],
  ["a copyleft licence joined to others by AND", { "node_modules/one": { license: "MIT AND EUPL-1.1" } }, /EUPL/],
  ["no licence at all", { "node_modules/one": { version: "1.2.3" } }, /\(none named\)/],
  ["a tolerated tool that would be shipped", { "node_modules/lightningcss": { license: "MPL-2.0" } }, /MPL-2\.0/],
];

test.each(planted)("%s is reported", (_, change, says) => {
  const { code, problems } = check(change);
  expect(code).toBe(1);
  expect(problems).toMatch(says);
});

test("the licence stated by the installed package counts, whatever the lock file says", () => {
  const folder = mkdtempSync(join(tmpdir(), "kauke-lock-"));
  mkdirSync(join(folder, "node_modules/one"), { recursive: true });
  writeFileSync(join(folder, "node_modules/one/package.json"), '{"license":"GPL-3.0"}');
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: clean }));
  expect(run(folder)).toMatchObject({ code: 1, problems: expect.stringMatching(/GPL-3\.0/) });
});
