import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { runMigrations, underStartLock } from "../migrate.ts";
import { type EmbeddedDatabase, openEmbedded } from "./embedded-database.ts";
import { embeddedUpkeep, logPosition } from "./embedded-upkeep.ts";

const MEBIBYTE = 1024 * 1024;
const minutes = (count: number) => new Date(Date.UTC(2026, 2, 1, 12, count));

it("checkpoints and vacuums after 64 MiB of log or five minutes, and not while nothing is written", {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "kauke-upkeep-"));
  let database: EmbeddedDatabase | null = null;
  try {
    await putEmptyDatabase(directory, {});
    database = await openEmbedded(directory);
    const { db } = database;
    await underStartLock(db, (trx) => runMigrations(trx, minutes(0)));
    const write = async (bytes: number) => {
      const until = (await logPosition(db)) + bytes;
      while ((await logPosition(db)) < until)
        await sql`SELECT pg_logical_emit_message(false, 'test', repeat('x', ${MEBIBYTE}::integer))`.execute(db);
    };
    const upkeep = await embeddedUpkeep(db, minutes(0));
    const nothing = { checkpoint: false, vacuum: false };
    expect(await upkeep.tick(minutes(60))).toEqual(nothing);
    await write(60 * MEBIBYTE);
    expect(await upkeep.tick(minutes(4))).toEqual(nothing);
    await write(4 * MEBIBYTE);
    expect(await upkeep.tick(minutes(4))).toEqual({ checkpoint: true, vacuum: true });
    expect(await redoDistance(database)).toBeLessThan(MEBIBYTE);
    await write(2 * MEBIBYTE);
    expect(await upkeep.tick(minutes(8))).toEqual(nothing);
    expect(await upkeep.tick(minutes(9))).toEqual({ checkpoint: true, vacuum: true });
  } finally {
    await database?.close();
    await rm(directory, { recursive: true, force: true });
  }
});

/** Bytes of write-ahead log that the next start would have to replay. */
async function redoDistance({ db }: EmbeddedDatabase): Promise<number> {
  const { rows } = await sql<{ distance: number }>`
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint AS distance FROM pg_control_checkpoint()`.execute(
    db,
  );
  return rows[0]?.distance ?? Number.NaN;
}
