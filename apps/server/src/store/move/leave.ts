/** After a move, the source is used again or deleted. */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { lockDirectory, openEmbedded } from "../embedded/embedded-database.ts";
import { syncDirectory } from "../queue/bodies/spool-files.ts";
import { hasDatabase } from "./move-ends.ts";
import { MoveError } from "./move-error.ts";
import { MARK_TABLE, type MoveMark, readMark, removeMark } from "./move-mark.ts";
import { tableNames } from "./move-tables.ts";

/** Lets servers start on the source again. @param isSure required once the move is complete @throws MoveError */
export async function forgetMove(db: Database, isSure: boolean): Promise<MoveMark> {
  const mark = await readMark(db);
  if (mark === null) throw new MoveError("This data was not moved, and no move of it is unfinished.");
  if (mark.state === "arriving")
    throw new MoveError("This is the target of an unfinished move. Empty it, or run the move again.");
  if (mark.state === "left" && !isSure)
    throw new MoveError(
      `This data was moved to ${mark.place}. If servers ran on both, they would send queued mail twice. Add --yes if none will run there.`,
    );
  await removeMark(db);
  return mark;
}

/** Deletes a completed move's source from the data directory, except the key. @throws MoveError */
export async function dropDirectory(dataDir: string): Promise<void> {
  const lock = lockDirectory(dataDir);
  try {
    if (hasDatabase(dataDir)) await refuseUnlessLeft(dataDir);
    for (const part of ["spool", "underway"]) await rm(join(dataDir, part), { recursive: true, force: true });
    // The mark is in the database, which therefore goes last, and by one rename.
    if (hasDatabase(dataDir)) await rename(join(dataDir, "db"), join(dataDir, "db.dropped"));
    await syncDirectory(dataDir);
    await rm(join(dataDir, "db.dropped"), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}

async function refuseUnlessLeft(dataDir: string): Promise<void> {
  const { db, close } = await openEmbedded(dataDir);
  try {
    if ((await readMark(db))?.state !== "left") throw notLeft();
  } finally {
    await close();
  }
}

/** Drops a completed move's source tables in PostgreSQL. @throws MoveError */
export async function dropTables(db: Database): Promise<void> {
  if ((await readMark(db))?.state !== "left") throw notLeft();
  const tables = [...tableNames, MARK_TABLE].map((name) => sql.table(name));
  await sql`DROP TABLE IF EXISTS ${sql.join(tables)} CASCADE`.execute(db);
}

const notLeft = () => new MoveError("This data was not moved elsewhere, so it is not deleted.");
