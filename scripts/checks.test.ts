/**
 * Every static check finds what it is meant to find: each runs on a small tree shaped like this repository, once clean
 * and once with a planted fault.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plans } from "./checks.ts";
import { repositoryRoot } from "./source-files.ts";

const root = repositoryRoot();
const copy = mkdtempSync(join(tmpdir(), "kauke-checks-"));

const cleanFiles: Readonly<Record<string, string>> = {
  "apps/server/src/main.ts": 'import { rule } from "./core/rule.ts";\n\nprocess.stdout.write(rule());\n',
  "apps/server/src/core/rule.ts": 'export function rule(): string {\n  return "kept";\n}\n',
  "apps/web/package.json":
    '{\n  "name": "@kauke/web",\n  "version": "1.0.0",\n  "private": true,\n  "type": "module"\n}\n',
  "apps/web/src/main.ts": 'document.title = "A page";\n',
  "apps/server/package.json":
    '{\n  "name": "@kauke/server",\n  "version": "1.0.0",\n  "private": true,\n  "type": "module"\n}\n',
  "knip.json": '{\n  "workspaces": { "apps/*": { "entry": ["src/main.ts"], "project": ["src/**/*.ts"] } }\n}\n',
  "package.json":
    '{\n  "name": "copy",\n  "version": "1.0.0",\n  "private": true,\n  "type": "module",\n  "workspaces": [\n    "apps/*"\n  ]\n}\n',
};

beforeAll(() => {
  for (const [path, text] of Object.entries(cleanFiles)) write(path, text);
  for (const file of ["biome.json", "oxlint.json", "tsconfig.base.json", "tsconfig.json", "apps/web/tsconfig.json"]) {
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  write(".gitignore", "node_modules\n");
  spawnSync("git", ["init", "-q"], { cwd: copy });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

/** Runs the static check with this title on the test's small tree; our own scripts take its folder as an argument. */
function runCheck(title: string): { code: number | null; output: string } {
  const check = plans.check.find((each) => each.title.startsWith(title));
  if (check?.kind !== "static") throw new Error(`no static check is called ${title}`);
  const [program = "", ...args] = check.args;
  const isOurs = program.startsWith("scripts/");
  const command = isOurs ? [join(root, program), copy] : [program, ...args];
  const run = spawnSync(process.execPath, command, { cwd: copy, encoding: "utf8" });
  return { code: run.status, output: run.stdout + run.stderr };
}

interface Plant {
  title: string;
  what: string;
  files: Readonly<Record<string, string>>;
  says: RegExp;
}

const rule = cleanFiles["apps/server/src/core/rule.ts"] ?? "";
const inRule = (text: string) => ({ "apps/server/src/core/rule.ts": `${text}\n${rule}` });
const manyLines = (line: string, count: number) => `${line}\n`.repeat(count);

const plants: readonly Plant[] = [
  { title: "Types (server", what: "a wrong type", files: inRule('export const n: number = "one";\n'), says: /TS2322/ },
  {
    title: "Types (web",
    what: "a wrong type in the browser's code",
    files: { "apps/web/src/main.ts": "document.title = 1;\n" },
    says: /TS2322/,
  },
  { title: "Types (server", what: "an enum", files: inRule("export enum Kind {\n  one,\n}\n"), says: /TS1294/ },
  {
    title: "Lint",
    what: "a promise that nobody awaits",
    files: inRule("async function later(): Promise<void> {}\nexport function go(): void {\n  later();\n}\n"),
    says: /no-floating-promises/,
  },
  {
    title: "Lint",
    what: "a cycle of imports",
    files: {
      "apps/server/src/core/rule.ts": `import { other } from "./other.ts";\n\nexport const own = other;\n${rule}`,
      "apps/server/src/core/other.ts": 'import { rule } from "./rule.ts";\n\nexport const other = rule;\n',
    },
    says: /no-cycle/,
  },
  {
    title: "Lint",
    what: "a cycle of type imports",
    files: {
      "apps/server/src/core/rule.ts": `import type { Other } from "./other.ts";\n\nexport type Own = Other[];\n${rule}`,
      "apps/server/src/core/other.ts": 'import type { Own } from "./rule.ts";\n\nexport type Other = Own | string;\n',
    },
    says: /no-cycle/,
  },
  { title: "Lint", what: "a default export", files: inRule("export default 1;\n"), says: /no-default-export/ },
  {
    title: "Lint",
    what: "process.env outside env.ts",
    files: inRule("export const at = process.env.HOME;\n"),
    says: /no-process-env/,
  },
  { title: "Lint", what: "printing outside the logger", files: inRule('console.log("x");\n'), says: /no-console/ },
  {
    title: "Lint",
    what: "a function of more than 60 lines",
    files: inRule(
      `export function long(n: number): number {\n  let m = n;\n${manyLines("  m += 1;", 60)}  return m;\n}\n`,
    ),
    says: /max-lines-per-function/,
  },
  {
    title: "Lint",
    what: "a file of more than 400 lines",
    files: inRule(manyLines("export {};", 401)),
    says: /max-lines\b/,
  },
  {
    title: "Import boundaries",
    what: "core importing the web server",
    files: {
      ...inRule('import { routes } from "../http/routes.ts";\n\nexport const all = routes;\n'),
      "apps/server/src/http/routes.ts": "export const routes = [];\n",
    },
    says: /core must not import http/,
  },
  { title: "Format", what: "a line that is not formatted", files: inRule("export   const a=1\n"), says: /format/ },
  {
    title: "Format",
    what: "imports out of order",
    files: inRule('import b from "node:path";\nimport a from "node:fs";\n'),
    says: /organizeImports/,
  },
  {
    title: "Unused",
    what: "a file nobody imports",
    files: { "apps/server/src/core/lost.ts": "export const lost = 1;\n" },
    says: /Unused files/,
  },
  {
    title: "Unused",
    what: "an export nobody imports",
    files: inRule("export const unused = 1;\n"),
    says: /Unused exports/,
  },
  {
    title: "Unused",
    what: "a dependency nobody imports",
    files: { "apps/server/package.json": '{ "name": "@kauke/server", "dependencies": { "zod": "4.6.7" } }\n' },
    says: /Unused dependencies/,
  },
  {
    title: "Words",
    what: "a mirror's address",
    files: { "notes.md": `see https://${"registry"}.example/zod\n` },
    says: /notes\.md:1: address/,
  },
  {
    title: "Words",
    what: "a path of one machine",
    files: { "notes.md": `in ${"/work"}/main\n` },
    says: /notes\.md:1: path/,
  },
  {
    title: "Words",
    what: "a word that another one has replaced",
    files: { "apps/server/notes.md": `a ${"Closing"}Bell\n` },
    says: /notes\.md:1: "ClosingB\w+" was replaced: ShutdownSignal/,
  },
];

test.each(["Types (server", "Types (web", "Lint", "Import boundaries", "Format", "Unused", "Words"])(
  "a clean tree passes the check: %s",
  (title) => {
    const { code, output } = runCheck(title);
    expect(code, output).toBe(0);
  },
);

/** Of each check `npm test` plants the first fault, of the linter also cycles and the length of a function. */
const some = plants.filter(
  ({ title, says }, at) =>
    process.env.LONG_ROUNDS === "1" ||
    plants.findIndex((plant) => plant.title === title) === at ||
    (title === "Lint" && /cycle|lines-per/.test(says.source)),
);

test.each(some)("the check $title reports $what", ({ title, files, says }) => {
  for (const [path, text] of Object.entries(files)) write(path, text);
  const { code, output } = runCheck(title);
  for (const path of Object.keys(files)) rmSync(join(copy, path));
  for (const [path, text] of Object.entries(cleanFiles)) write(path, text);
  expect(code).not.toBe(0);
  expect(output).toMatch(says);
});

test("every static check has a planted fault here or in its own test", () => {
  const elsewhere = ["Lock file and licences"];
  const titles = plans.all.filter((check) => check.kind === "static").map((check) => check.title);
  const planted = (title: string) => plants.some((plant) => title.startsWith(plant.title));
  expect(titles.filter((title) => !planted(title) && !elsewhere.includes(title))).toEqual([]);
});

test.each([
  { plan: "all", runs: [] },
  { plan: "check", runs: [] },
  { plan: "long", runs: ["[parts] apps/server/src/store/embedded/embedded-reopen.long.test.ts"] },
] as const)("of the files named *.long.test.ts, plan $plan runs $runs", ({ plan, runs }) => {
  const suite = plans[plan].find((check) => check.kind === "suite");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["list", "--filesOnly", ...(suite?.args ?? []), "embedded-reopen", "scripts/boundaries"];
  const env = { ...process.env, LONG_ROUNDS: "", ...(suite?.kind === "suite" ? suite.environment : {}) };
  const { stdout } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, encoding: "utf8", env });
  expect(stdout.trim().split("\n").toSorted()).toEqual([...runs, "[parts] scripts/boundaries.test.ts"].toSorted());
});
