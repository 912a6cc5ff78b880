/** The operator's command with data in PostgreSQL. */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { runKauke } from "@kauke/testkit/programs/run-kauke";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of the command on PostgreSQL are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("on PostgreSQL", () => {
  let database: TestPostgres;
  let dataDir: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    [database, dataDir] = [await startTestPostgres(), await makeDataDir()];
    const DATABASE_URL = await database.createDatabase();
    env = { DATABASE_URL, KAUKE_SECRET_KEY: randomBytes(32).toString("base64") };
  });
  afterAll(async () => {
    await database.stop();
    await removeDataDirs();
  });

  it("backup says that pg_dump must be used, and writes nothing", async () => {
    const { code, out, err } = await runKauke(["backup", join(dataDir, "copy")], { dataDir, env });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("back it up with pg_dump, which includes the queue and its mail, and keep KAUKE_SECRET_KEY");
    expect((await readdir(dataDir)).filter((name) => name.startsWith("copy"))).toEqual([]);
  });
});
