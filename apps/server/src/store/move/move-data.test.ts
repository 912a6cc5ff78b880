import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { withDatabase } from "../migrate.ts";
import { openStore } from "../open-store.ts";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "../postgres/postgres.testing.ts";
import { openPostgres } from "../postgres/postgres.ts";
import { dropDirectory, dropTables, forgetMove } from "./leave.ts";
import { type Moved, moveData } from "./move-data.ts";
import { type MoveEnd, openDirectory, openServer } from "./move-ends.ts";
import { movedTables, tableNames } from "./move-tables.ts";
import { type MoveWorld, plantWorld, rowsOf } from "./move-world.testing.ts";

const found = findTestPostgres();
if (!found.found) console.log(found.reason);

describe.skipIf(!found.found)("kauke move", () => {
  let postgres: TestPostgres;
  const directories: string[] = [];
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  const plant = async (accounts = 2): Promise<MoveWorld> => {
    const world = await plantWorld(accounts);
    directories.push(world.dataDir);
    return world;
  };
  const emptyDirectory = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), "kauke-move-"));
    directories.push(directory);
    return directory;
  };
  const toServer = ({ dataDir, secretKey }: Pick<MoveWorld, "dataDir" | "secretKey">, url: string) =>
    between(
      () => openDirectory({ dataDir, secretKey }),
      () => openServer(url, null),
    );
  const readRows = (databaseUrl: string | null, dataDir: string) => withDatabase({ databaseUrl, dataDir }, rowsOf);
  const run = (databaseUrl: string, work: string) =>
    withDatabase({ databaseUrl, dataDir: "" }, (db) => sql.raw(work).execute(db));

  it("moves a row of every table, bodies and mail in flight to PostgreSQL, all but a damaged file, and all of it back", async () => {
    const world = await plant();
    const damaged = join(world.dataDir, "underway", randomUUID());
    await writeFile(damaged, "damaged");
    const url = await postgres.createDatabase();
    const moved = await toServer(world, url);
    expect(moved).toMatchObject({ messages: 3, unreadable: 1, wasDone: false });
    expect(existsSync(damaged)).toBe(true);
    const before = await readRows(null, world.dataDir);
    for (const { name } of movedTables) expect([name, before[name]?.length]).not.toEqual([name, 0]);
    expect(Object.values(before).flat()).toHaveLength(moved.rows);
    expect(await readRows(url, "")).toEqual(before);

    const back = { dataDir: await emptyDirectory(), secretKey: world.secretKey };
    await expectBodies({ databaseUrl: url, dataDir: null, secretKey: world.secretKey }, world);
    await run(url, "UPDATE delivery SET lease_token = 'x', leased_until = now() + interval '1 hour'");
    // The starts above changed rows of their own, so the rows to compare are read now.
    const onServer = await readRows(url, "");
    await between(
      () => openServer(url, world.secretKey),
      () => openDirectory(back),
    );
    expect(await readRows(null, back.dataDir)).toEqual(onServer);
    await expectBodies({ databaseUrl: null, ...back }, world);
  }, 120_000);

  it("knows every table and copies it after those that it refers to", async () => {
    const url = await postgres.createDatabase();
    const { dataDir, secretKey } = { dataDir: null, secretKey: randomBytes(32) };
    await (await openStore({ databaseUrl: url, dataDir, secretKey })).close();
    await withDatabase({ databaseUrl: url, dataDir: "" }, async (db) => {
      const { rows } = await sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public'`.execute(db);
      expect(rows.map(({ name }) => name).sort()).toEqual([...tableNames].sort());
      const { rows: references } = await sql<{ from: string; to: string; column: string }>`
        SELECT from_table.relname AS from, to_table.relname AS to, attname AS column FROM pg_constraint
        JOIN pg_class from_table ON from_table.oid = conrelid JOIN pg_class to_table ON to_table.oid = confrelid
        JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] WHERE contype = 'f'`.execute(db);
      const places = tableNames as string[];
      const early = references.filter(({ from, to }) => places.indexOf(from) <= places.indexOf(to));
      const later = movedTables.flatMap(({ name, filledLater }) => (filledLater ? [`${name}.${filledLater}`] : []));
      expect(early.map(({ from, column }) => `${from}.${column}`)).toEqual(later);
      const { rows: keys } = await sql<{ table: string; key: string[] }>`
        SELECT conrelid::regclass::text AS table, array_agg(attname::text ORDER BY array_position(conkey, attnum)) AS key
        FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
        WHERE contype = 'p' GROUP BY conrelid`.execute(db);
      for (const { name, key } of movedTables)
        expect([name, keys.find(({ table }) => table.replaceAll('"', "") === name)?.key]).toEqual([
          name,
          Object.keys(key),
        ]);
    });
  }, 60_000);

  it("lets no server start on the old data, nor on a target that is incomplete", async () => {
    const world = await plant(1);
    const url = await postgres.createDatabase();
    await expect(interrupted(world, url)).rejects.toThrow("interrupted");
    const inDirectory = { databaseUrl: null, dataDir: world.dataDir, secretKey: world.secretKey };
    const onServer = { databaseUrl: url, dataDir: null, secretKey: world.secretKey };
    await expect(openStore(inDirectory)).rejects.toMatchObject({ reason: "moved" });
    await expect(openStore(onServer)).rejects.toMatchObject({ reason: "moved" });
    await toServer(world, url);
    await expect(openStore(inDirectory)).rejects.toThrow("was moved to the PostgreSQL database");
    await (await openStore(onServer)).close();
    expect(await toServer(world, url)).toMatchObject({ unreadable: 0, wasDone: true });
    const other = await postgres.createDatabase();
    await expect(toServer(world, other)).rejects.toThrow("was moved to");
  }, 120_000);

  it("refuses a target with data or tables of others, another key, and servers that are connected", async () => {
    const world = await plant(1);
    const foreign = await postgres.createDatabase();
    await run(foreign, "CREATE TABLE invoice (id integer)");
    await expect(toServer(world, foreign)).rejects.toThrow("tables of another program");
    const used = await postgres.createDatabase();
    const server = await openStore({ databaseUrl: used, dataDir: null, secretKey: randomBytes(32) });
    await expect(toServer(world, used)).rejects.toThrow("A server is connected");
    await server.close();
    await expect(toServer(world, used)).rejects.toThrow("There is data of Kauke");
    const wrongKey = { ...world, secretKey: randomBytes(32) };
    await expect(toServer(wrongKey, await postgres.createDatabase())).rejects.toMatchObject({
      reason: "secret_key_wrong",
    });
    const another = await plant(1);
    const url = await postgres.createDatabase();
    await expect(interrupted(another, url)).rejects.toThrow("interrupted");
    await expect(toServer(world, url)).rejects.toThrow("unfinished move of other data");
    // Refused moves have left no mark: a server may start.
    await (await openStore({ databaseUrl: null, dataDir: world.dataDir, secretKey: world.secretKey })).close();
  }, 120_000);

  it("ends without leaving the source when a row or a body differs", async () => {
    for (const change of [
      "UPDATE counter SET value = value + 1",
      "UPDATE message_chunk SET sealed = sealed || '\\x00'",
    ]) {
      const world = await plant(1);
      const url = await postgres.createDatabase();
      await expect(interrupted(world, url, "bodies")).rejects.toThrow("interrupted");
      await run(url, change);
      await expect(toServer(world, url)).rejects.toThrow("differ");
      await withDatabase({ databaseUrl: null, dataDir: world.dataDir }, (db) => forgetMove(db, false));
      await (await openStore({ databaseUrl: null, dataDir: world.dataDir, secretKey: world.secretKey })).close();
    }
  }, 120_000);

  it("deletes old data on request only after it was moved, and forgets a move on request", async () => {
    const world = await plant(1);
    const url = await postgres.createDatabase();
    await expect(dropDirectory(world.dataDir)).rejects.toThrow("was not moved");
    await expect(
      withDatabase({ databaseUrl: null, dataDir: world.dataDir }, (db) => forgetMove(db, true)),
    ).rejects.toThrow("was not moved");
    await toServer(world, url);
    await expect(
      withDatabase({ databaseUrl: null, dataDir: world.dataDir }, (db) => forgetMove(db, false)),
    ).rejects.toThrow("--yes");
    await dropDirectory(world.dataDir);
    await dropDirectory(world.dataDir);
    await expect(withDatabase({ databaseUrl: url, dataDir: "" }, dropTables)).rejects.toThrow("was not moved");
    const { dataDir, secretKey } = world;
    await between(
      () => openServer(url, secretKey),
      () => openDirectory({ dataDir, secretKey }),
    );
    await withDatabase({ databaseUrl: url, dataDir: "" }, dropTables);
    const pool = await openPostgres(url, undefined);
    const { rows } = await sql`SELECT FROM information_schema.tables WHERE table_schema = 'public'`.execute(pool);
    await pool.destroy();
    expect(rows).toHaveLength(0);
    await expectBodies({ databaseUrl: null, dataDir, secretKey }, world);
  }, 120_000);

  async function interrupted({ dataDir, secretKey }: MoveWorld, url: string, at = "alias"): Promise<Moved> {
    return await between(
      () => openDirectory({ dataDir, secretKey }),
      () => openServer(url, null),
      (what) => {
        if (what === at) throw new Error("interrupted");
      },
    );
  }
});

async function between(
  from: () => Promise<MoveEnd>,
  to: () => Promise<MoveEnd>,
  report: (what: string) => void = () => {},
): Promise<Moved> {
  const source = await from();
  try {
    const target = await to();
    try {
      return await moveData({ source, target, report: ({ what }) => report(what) });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Place {
  databaseUrl: string | null;
  dataDir: string | null;
  secretKey: Buffer;
}

/** Asserts that a server on the moved data reads every body, with no lease on any delivery. */
async function expectBodies(place: Place, { bodies }: MoveWorld): Promise<void> {
  const store = await openStore(place);
  try {
    for (const [messageId, text] of bodies) {
      expect(
        (await store.deliveries.isKnownMessage(messageId)) || (await store.emailAttachments.isKnown(messageId)),
      ).toBe(true);
      expect((await store.bodies.get(messageId))?.toString()).toBe(text);
    }
  } finally {
    await store.close();
  }
}
