import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asCaller } from "../../core/fair-queue/caller.ts";
import type { Database } from "../database.ts";
import { preparedQuery } from "../prepared-query.ts";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "./postgres.testing.ts";
import { openPostgres } from "./postgres.ts";

describe.skipIf(!findTestPostgres().found)("the connection kept for prepared queries", () => {
  let server: TestPostgres;
  let databaseUrl: string;
  let db: Database;
  /** Waits so many seconds. @returns the process of the server that ran the query */
  let processOf: (seconds: number) => Promise<number>;
  beforeAll(async () => {
    server = await startTestPostgres();
    databaseUrl = await server.createDatabase();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    db = await openPostgres(databaseUrl, undefined);
    const query = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid, pg_sleep(${0}) AS slept`;
    const run = preparedQuery(db, query.compile(db));
    processOf = async (seconds) => (await run([seconds]))[0]!.pid;
  });
  afterEach(() => db.destroy());

  /** Process of the kept connection, once there is one: it is never that of an ordinary statement. */
  async function kept(): Promise<number> {
    let pid = 0;
    const isKept = async () => {
      pid = await processOf(0).catch(() => 0);
      const ordinary = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
      return pid !== 0 && pid !== ordinary.rows[0]!.pid;
    };
    await expect.poll(isKept).toBe(true);
    return pid;
  }

  it("runs queries that come one at a time; more at once use others too", async () => {
    const pid = await kept();
    for (let time = 0; time < 5; time++) expect(await processOf(0)).toBe(pid);
    const atOnce = await Promise.all([0.05, 0.05, 0.05].map(processOf));
    expect(new Set(atOnce).size).toBe(3);
    expect(atOnce).toContain(pid);
  });

  it("is not used by callers, who share few connections", async () => {
    const pid = await kept();
    expect(await asCaller({ party: "a", isKnown: false }, () => processOf(0))).not.toBe(pid);
  });

  it("is replaced when it is lost", async () => {
    const pid = await kept();
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    await admin.query("SELECT pg_terminate_backend($1)", [pid]);
    await admin.end();
    await expect.poll(() => processOf(0).catch(() => pid)).not.toBe(pid);
    await expect.poll(kept).not.toBe(pid);
  });

  it("a failing query does not end it", async () => {
    const pid = await kept();
    await expect(processOf("a while" as never)).rejects.toMatchObject({ code: "22P02" });
    expect(await processOf(0)).toBe(pid);
  });

  it("closing the database waits for its query, and ends it", async () => {
    const pid = await kept();
    const running = processOf(0.05);
    await db.destroy();
    expect(await running).toBe(pid);
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    const { rows } = await admin.query("SELECT FROM pg_stat_activity WHERE pid = $1", [pid]);
    await admin.end();
    expect(rows).toEqual([]);
    db = await openPostgres(databaseUrl, undefined);
  });
});
