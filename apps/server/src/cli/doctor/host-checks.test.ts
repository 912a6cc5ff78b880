import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkMachine } from "./host-checks.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-machine-"));
  await writeFile(join(dataDir, "secret.key"), "x", { mode: 0o600 });
});
afterEach(() => rm(dataDir, { recursive: true }));

async function states(now = new Date()): Promise<string[]> {
  const results = await checkMachine({ dataDir, folder: dataDir, now, database: "embedded" });
  return results.filter((it) => it.check !== "disk").map((it) => `${it.state} ${it.check} ${it.subject}`);
}

const clockOk = "ok clock this machine";

it("a private directory and a correct clock are ok", async () => {
  expect(await states()).toEqual(["ok permissions data directory", clockOk]);
});

it("a directory, a key and settings that others may read have to be fixed, each by its name", async () => {
  await writeFile(join(dataDir, ".env"), "");
  await chmod(join(dataDir, ".env"), 0o640);
  await chmod(join(dataDir, "secret.key"), 0o604);
  await chmod(dataDir, 0o755);
  expect(await states()).toEqual([
    "fix permissions data directory",
    "fix permissions secret.key",
    "fix permissions .env",
    clockOk,
  ]);
});

it("a clock behind the newest file has to be fixed", async () => {
  expect(await states(new Date(Date.now() - 3_600_000))).toContain("fix clock this machine");
});

it("for a directory that does not exist neither disk space nor permissions are reported", async () => {
  const results = await checkMachine({
    dataDir: join(dataDir, "gone"),
    folder: dataDir,
    now: new Date(),
    database: "embedded",
  });
  expect(results.map((it) => `${it.state} ${it.check}`)).toEqual(["warn disk", "ok clock"]);
});

it("in-flight messages are counted, and a file that is too old is a warning", async () => {
  const folder = join(dataDir, "underway");
  await mkdir(folder);
  expect(await states()).toContain("ok underway 0 messages");
  for (const name of ["one", "other"]) await writeFile(join(folder, name), "x");
  expect(await states()).toContain("ok underway 2 messages");
  const long = new Date(Date.now() - 3_600_000);
  await utimes(join(folder, "one"), long, long);
  const results = await checkMachine({ dataDir, folder: dataDir, now: new Date(), database: "embedded" });
  const since = long.toISOString().slice(0, 16).replace("T", " ");
  expect(results.find((it) => it.check === "underway")).toMatchObject({
    state: "warn",
    says: expect.stringContaining(since),
  });
  const moved = await checkMachine({ dataDir, folder: dataDir, now: new Date(), database: "postgres" });
  expect(moved.find((it) => it.check === "underway")).toMatchObject({
    state: "warn",
    subject: "2 messages",
    says: expect.stringMatching(/^They are damaged, so that `kauke move` could not read them/),
  });
});
