import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runKauke } from "@kauke/testkit/programs/run-kauke";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "../../store/embedded/embedded-database.ts";

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kauke-erase-"));
  dataDir = join(folder, "data");
  mkdirSync(join(dataDir, "db"), { recursive: true });
  for (const name of ["secret.key", "process.lock"]) writeFileSync(join(dataDir, name), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const erase = (...args: string[]) =>
  runKauke(["erase", ...args], { dataDir: folder, env: { KAUKE_DATA_DIR: dataDir, KAUKE_DELIVERY: "direct" } });

test("without --yes it says what it would delete, and deletes nothing", async () => {
  const { code, err } = await erase();
  expect(code).toBe(2);
  expect(err).toContain(`This deletes ${dataDir} (secret.key, db, process.lock), for good.`);
  expect(readdirSync(dataDir)).toHaveLength(3);
});

test("with --yes it deletes the data directory", async () => {
  const { code, out } = await erase("--yes");
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(join(dataDir, "secret.key")) });
  expect(readdirSync(folder)).toEqual([]);
});

test("it refuses while a process holds the directory, and a directory that is not Kauke's", async () => {
  const lock = lockDirectory(dataDir);
  expect(await erase("--yes")).toMatchObject({ code: 1, err: expect.stringContaining("is using the data directory") });
  lock.release();
  rmSync(join(dataDir, "db"), { recursive: true });
  expect(await erase("--yes")).toMatchObject({
    code: 1,
    err: expect.stringContaining("is no data directory of Kauke"),
  });
  expect(readdirSync(dataDir)).toContain("secret.key");
});
