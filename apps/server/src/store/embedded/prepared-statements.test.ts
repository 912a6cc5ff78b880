import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preparedHere, preparedQuery, statementName } from "../prepared-query.ts";
import { type EmbeddedDatabase, openInMemory } from "./embedded-database.ts";

let opened: EmbeddedDatabase;
beforeAll(async () => {
  opened = await openInMemory();
});
afterAll(() => opened.close());

const prepare = (text: string) => preparedQuery(opened.db, sql.raw<Record<string, unknown>>(text).compile(opened.db));

it("a statement that the session lost is prepared again", async () => {
  const run = prepare("SELECT 1 AS lost");
  for (let time = 0; time < 3; time += 1) {
    expect(await run([])).toEqual([{ lost: 1 }]);
    await sql`DEALLOCATE ALL`.execute(opened.db);
  }
});

it("many concurrent queries, with ordinary ones and transactions between them, each get their own result", async () => {
  const run = prepare("SELECT $1::integer AS own");
  const results = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      if (n % 3 === 0) return await run([n]);
      const select = sql`SELECT ${n}::integer AS own`;
      if (n % 3 === 1) return (await select.execute(opened.db)).rows;
      return (await opened.db.transaction().execute((trx) => select.execute(trx))).rows;
    }),
  );
  expect(results).toEqual(results.map((_, n) => [{ own: n }]));
});

it("the plan for a table of ten rows is not kept when the table has grown", async () => {
  const { db } = opened;
  await sql`CREATE TABLE growing (a bytea UNIQUE, filler text DEFAULT repeat('x', 300))`.execute(db);
  const grow = (first: number, last: number) =>
    sql`INSERT INTO growing (a) SELECT sha256(n::text::bytea) FROM generate_series(${first}::integer, ${last}::integer) n`.execute(
      db,
    );
  const text = "SELECT a FROM growing WHERE a = $1";
  const run = prepare(text);
  const planOf = async () => {
    const execute = sql.raw(`EXPLAIN EXECUTE ${statementName(`/* prepared */ ${text}`)}('\\x00')`);
    return JSON.stringify((await execute.execute(db)).rows);
  };
  const ask = async (times: number) => {
    for (let time = 0; time < times; time += 1) await run([Buffer.from([time % 256])]);
  };
  await grow(1, 10);
  await sql`ANALYZE growing`.execute(db);
  await ask(20);
  expect(await planOf()).toContain("Seq Scan");
  await grow(11, 2000);
  await ask(1100);
  expect(await planOf()).toContain("Index");
});

describe("a prepared statement that writes", () => {
  const alone = { isAlone: true };
  const insert = (
    rows: readonly { id: number; at: Date | null; text: string | null }[],
  ) => sql`${preparedHere(opened.db, alone)}
    INSERT INTO written SELECT * FROM unnest(${rows.map((row) => row.id)}::integer[],
      ${rows.map((row) => row.at?.toISOString() ?? null)}::timestamptz[], ${rows.map((row) => row.text)}::text[])`;
  const written = async () => (await sql`SELECT * FROM written ORDER BY id`.execute(opened.db)).rows;
  const row = (id: number) => ({
    id,
    at: id % 2 === 0 ? new Date(id * 1000) : null,
    text: id % 3 === 0 ? null : `"${id}", {}`,
  });
  beforeAll(async () => {
    await sql`CREATE TABLE written (id integer PRIMARY KEY, at timestamptz, text text)`.execute(opened.db);
  });

  it("takes effect once, with arrays of any length", async () => {
    const rows = Array.from({ length: 12 }, (_, id) => row(id));
    for (const [from, to] of [
      [0, 1],
      [1, 1],
      [1, 9],
      [9, 12],
    ] as const)
      await insert(rows.slice(from, to)).execute(opened.db);
    expect(await written()).toEqual(rows);
  });

  it("changes nothing when the database refuses it, and fails with the database's error", async () => {
    const before = await written();
    await expect(insert([row(100), row(3)]).execute(opened.db)).rejects.toMatchObject({ code: "23505" });
    expect(await written()).toEqual(before);
  });

  it("is not prepared in a transaction or for a database with other processes", async () => {
    const textOf = (start: RawBuilder<unknown>) => start.compile(opened.db).sql;
    expect(textOf(preparedHere(opened.db, alone))).not.toBe("");
    expect(textOf(preparedHere(opened.db, { isAlone: false }))).toBe("");
    await opened.db.transaction().execute(async (trx) => expect(textOf(preparedHere(trx, alone))).toBe(""));
  });
});

it("a database that is closed says so", async () => {
  const other = await openInMemory();
  const run = preparedQuery(other.db, sql`SELECT 1 AS one`.compile(other.db));
  expect(await run([])).toEqual([{ one: 1 }]);
  await other.close();
  await expect(run([])).rejects.toThrow("PGlite is closed");
});
