import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { onEachContext } from "./context.testing.ts";
import { preparedQuery, statementName } from "./prepared-query.ts";

describe("a prepared query", () => {
  onEachContext((given) => {
    const prepare = (text: string, values: readonly unknown[]) => {
      const { db } = given.context;
      const query = sql.raw<Record<string, unknown>>(text).compile(db);
      return {
        run: preparedQuery(db, { ...query, parameters: values }),
        runOrdinary: async (parameters: readonly unknown[]) => (await db.executeQuery({ ...query, parameters })).rows,
      };
    };

    it("returns what the ordinary query returns, for every type of column and parameter, null and several rows", async () => {
      const types = ["bytea", "uuid", "boolean", "bigint", "integer", "timestamptz", "text", "uuid[]"];
      const columns = types.map((type, index) => `$${index + 1}::${type} AS c${index}`).join(", ");
      const { run, runOrdinary } = prepare(`SELECT n, ${columns} FROM generate_series(1, 3) AS n`, []);
      const now = new Date("2026-03-01T12:00:00.123Z");
      const ids = [randomUUID(), randomUUID()];
      const values = [Buffer.from([0, 255, 10]), randomUUID(), true, 12, -3, now, "é'\\\n", ids];
      for (const parameters of [values, values.map(() => null), [Buffer.alloc(0), ...values.slice(1, -1), []]])
        expect(await run(parameters)).toEqual(await runOrdinary(parameters));
      expect(await run(values)).toHaveLength(3);
      expect(await prepare("SELECT $1::text AS a WHERE false", [""]).run(["x"])).toEqual([]);
    });

    it("fails like the ordinary query, and works again afterwards", async () => {
      const { run, runOrdinary } = prepare("SELECT 12 / $1::integer AS result", [1]);
      expect(await run([3])).toEqual([{ result: 4 }]);
      const error = await runOrdinary([0]).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "22012" });
      await expect(run([0])).rejects.toMatchObject({ code: "22012" });
      expect(await run([4])).toEqual([{ result: 3 }]);
      const broken = prepare("SELECT nothing FROM nowhere", []);
      await expect(broken.run([])).rejects.toMatchObject({ code: "42P01" });
      expect(await run([2])).toEqual([{ result: 6 }]);
    });

    it("follows changes of its table, even of the type of a column", async () => {
      const { db } = given.context;
      await sql`CREATE TABLE changing (a integer)`.execute(db);
      await sql`INSERT INTO changing VALUES (1)`.execute(db);
      const { run } = prepare("SELECT a FROM changing", []);
      expect(await run([])).toEqual([{ a: 1 }]);
      await sql`ALTER TABLE changing ADD COLUMN b text`.execute(db);
      expect(await run([])).toEqual([{ a: 1 }]);
      await sql`ALTER TABLE changing ALTER COLUMN a TYPE text`.execute(db);
      for (let time = 0; time < 3; time += 1) expect(await run([])).toEqual([{ a: "1" }]);
      await sql`DROP TABLE changing`.execute(db);
      await expect(run([])).rejects.toMatchObject({ code: "42P01" });
    });

    it("is refused in a transaction, where a failed statement could not be repeated", async () => {
      const transaction = given.context.db.transaction().execute(async (trx) => {
        preparedQuery(trx, sql`SELECT 1`.compile(trx));
      });
      await expect(transaction).rejects.toThrow("transaction");
    });

    it("does not see uncommitted rows", async () => {
      const { db } = given.context;
      await sql`CREATE TABLE committing (a integer)`.execute(db);
      const { run } = prepare("SELECT a FROM committing", []);
      expect(await run([])).toEqual([]);
      let during: Promise<unknown> = Promise.resolve();
      await db
        .transaction()
        .execute(async (trx) => {
          await sql`INSERT INTO committing VALUES (1)`.execute(trx);
          during = run([]);
          await sql`SELECT 1`.execute(trx);
          throw new Error("rolled back");
        })
        .catch(() => {});
      expect(await during).toEqual([]);
      expect(await run([])).toEqual([]);
    });

    it("is parsed once on each connection, whatever the types of its parameters", async () => {
      const { run } = prepare("SELECT $1::integer AS parsed_once", [1]);
      const ofTypes = prepare("SELECT $1::uuid AS a, $2::text AS b, $3::bytea AS c, $4::timestamptz AS d", []);
      const values = [randomUUID(), "text", Buffer.from([1]), new Date(0)];
      const spies = [vi.spyOn(PGlite.prototype, "query"), vi.spyOn(pg.Connection.prototype, "parse")];
      for (let value = 0; value < 20; value += 1) expect(await run([value])).toEqual([{ parsed_once: value }]);
      for (let time = 0; time < 20; time += 1) expect(Object.values((await ofTypes.run(values))[0]!)).toEqual(values);
      const parsed = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      // On PostgreSQL the first run of each may use another connection than the later ones.
      expect(parsed).toBeLessThanOrEqual(4);
      const name = statementName("/* prepared */ SELECT $1::integer AS parsed_once");
      const known = prepare("SELECT name FROM pg_prepared_statements WHERE name LIKE $1", [""]);
      await expect.poll(async () => [...(await run([1])), ...(await known.run([`${name}%`]))]).toHaveLength(2);
    });
  });
});
