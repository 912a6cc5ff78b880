/** A connection pooler in transaction mode loses or mixes up prepared statements; the tests do what it does. */
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Logger } from "../../runtime/ports.ts";
import type { Database } from "../database.ts";
import { preparedQuery, statementName } from "../prepared-query.ts";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "./postgres.testing.ts";
import { openPostgres } from "./postgres.ts";

const TEXT = "SELECT $1::integer AS one";
/** All statements use the same one. */
const ONE_CONNECTION = 1;
const NAME = `${statementName(`/* prepared */ ${TEXT}`)}_0`;

describe.skipIf(!findTestPostgres().found)("prepared statements on PostgreSQL", () => {
  let server: TestPostgres;
  let databaseUrl: string;
  let db: Database;
  let run: (parameters: readonly unknown[]) => Promise<unknown>;
  const events: string[] = [];
  beforeAll(async () => {
    server = await startTestPostgres();
    databaseUrl = await server.createDatabase();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const log = (event: string) => void events.push(event);
    db = await openPostgres(databaseUrl, { info: log, warn: log, error: log } as unknown as Logger, ONE_CONNECTION);
    events.length = 0;
    run = preparedQuery(db, sql.raw(TEXT).compile(db));
  });
  afterEach(() => db.destroy());

  const known = async () =>
    (await sql<{ name: string }>`SELECT name FROM pg_prepared_statements ORDER BY prepare_time`.execute(db)).rows;

  it("a statement that the connection does not know is run as an ordinary one, and so are all from then on", async () => {
    expect(await run([1])).toEqual([{ one: 1 }]);
    expect(await known()).toEqual([{ name: NAME }]);
    await sql`DEALLOCATE ALL`.execute(db);
    for (let value = 1; value < 4; value += 1) expect(await run([value])).toEqual([{ one: value }]);
    expect(await known()).toEqual([]);
    expect(events).toEqual(["prepared_statements_off"]);
  });

  it("a name that another process has used on the connection is no obstacle", async () => {
    await sql.raw(`PREPARE ${NAME} (integer) AS ${TEXT}`).execute(db);
    for (let value = 1; value < 4; value += 1) expect(await run([value])).toEqual([{ one: value }]);
    expect(events).toEqual(["prepared_statements_off"]);
  });

  it("a statement whose result has changed is prepared again", async () => {
    await sql`CREATE TABLE changing AS SELECT 1::integer AS a`.execute(db);
    const read = preparedQuery(db, sql`SELECT a FROM changing`.compile(db));
    expect(await read([])).toEqual([{ a: 1 }]);
    await sql`ALTER TABLE changing ALTER COLUMN a TYPE text`.execute(db);
    for (let time = 0; time < 3; time += 1) expect(await read([])).toEqual([{ a: "1" }]);
    expect((await known()).map(({ name }) => name.slice(-2))).toEqual(["_0", "_1"]);
    expect(events).toEqual([]);
  });

  it("an error of the query itself is passed on, and statements stay prepared", async () => {
    await expect(run(["not a number"])).rejects.toMatchObject({ code: "22P02" });
    expect(await run([2])).toEqual([{ one: 2 }]);
    expect(events).toEqual([]);
  });

  it("a statement that runs again gives the same values, nulls and errors as at first", async () => {
    const text = `SELECT $1::text AS text, $2::bytea AS bytes, $3::integer AS whole, $3::bigint AS large, $4::timestamptz AS at,
      $1::text = 'a' AS is_a, ARRAY[$1::text] AS list, NULL::text AS nothing`;
    const read = preparedQuery<Record<string, unknown>>(db, sql.raw(text).compile(db));
    const at = "2026-11-26T00:00:00.000Z";
    const values = (whole: unknown) => ["a", Buffer.from("bytes"), whole, at];
    const first = await read(values(7));
    expect(await read(values(7))).toEqual(first);
    expect(await read(["é", null, null, null])).toEqual([
      { text: "é", bytes: null, whole: null, large: null, at: null, is_a: false, list: ["é"], nothing: null },
    ]);
    await expect(read(values("not a number"))).rejects.toMatchObject({ code: "22P02" });
    expect(await read(values(7))).toEqual(first);
    const [asDate] = await read(["a", null, 1, new Date(at)]);
    expect(asDate?.["at"]).toEqual(new Date(at));
  });

  it("statements of one connection that run at once get their own results", async () => {
    await run([0]);
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    expect(await Promise.all(numbers.map((number) => run([number])))).toEqual(numbers.map((one) => [{ one }]));
  });

  it("closing the database waits for the query that runs, and ends its connection", async () => {
    const query = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid, pg_sleep(${0})`;
    const running = preparedQuery(db, query.compile(db))([0.5]);
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    const processes = async (state: string) =>
      (
        await admin.query(
          "SELECT FROM pg_stat_activity WHERE application_name = 'kauke' AND query LIKE '%pg_sleep%' AND state LIKE $1",
          [state],
        )
      ).rows;
    await expect.poll(() => processes("active")).toHaveLength(1);
    await db.destroy();
    expect(await running).toMatchObject([{ pid: expect.any(Number) }]);
    await expect.poll(() => processes("%")).toEqual([]);
    await admin.end();
    db = await openPostgres(databaseUrl, undefined);
  });

  it("a new connection after the loss of one prepares the statement again", async () => {
    expect(await run([1])).toEqual([{ one: 1 }]);
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    // Tests of other files have databases on the same server.
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kauke' AND datname = current_database()",
    );
    await admin.end();
    await expect.poll(() => run([2]).catch(() => null)).toEqual([{ one: 2 }]);
    expect(await known()).toEqual([{ name: NAME }]);
    expect(events).not.toContain("prepared_statements_off");
  });
});
