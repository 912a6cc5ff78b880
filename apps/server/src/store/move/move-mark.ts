/** A mark in both databases of a move, so that no server starts on data that is being copied or was moved. */
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { StoreStartError } from "../start-error.ts";

export interface MoveMark {
  /** Equal in source and target of one move. */
  id: string;
  /** `left`: everything is in the target, whose mark may still have to be removed. */
  state: "leaving" | "left" | "arriving";
  /** The other database, in words, without a password. */
  place: string;
}

export const MARK_TABLE = "move_mark";

export async function readMark(db: Database): Promise<MoveMark | null> {
  const { rows: found } = await sql<{ name: string | null }>`SELECT to_regclass('move_mark')::text AS name`.execute(db);
  if ((found[0]?.name ?? null) === null) return null;
  const { rows } = await sql<MoveMark>`SELECT id, state, place FROM move_mark`.execute(db);
  return rows[0] ?? null;
}

export async function writeMark(db: Database, { id, state, place }: MoveMark): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`CREATE TABLE IF NOT EXISTS move_mark (id text NOT NULL, state text NOT NULL, place text NOT NULL)`.execute(
      trx,
    );
    await sql`DELETE FROM move_mark`.execute(trx);
    await sql`INSERT INTO move_mark (id, state, place) VALUES (${id}, ${state}, ${place})`.execute(trx);
  });
}

export async function removeMark(db: Database): Promise<void> {
  await sql`DROP TABLE IF EXISTS move_mark`.execute(db);
}

const sentences: Record<MoveMark["state"], (place: string) => string> = {
  leaving: (place) =>
    `A move of this data to ${place} is unfinished. Run the same kauke move again, or stay here with kauke move forget.`,
  left: (place) =>
    `This data was moved to ${place}: start the server with the settings for that. To go back to what is here, lose what came since, and only then: kauke move forget --yes.`,
  arriving: (place) => `A move of data from ${place} to here is unfinished. Run the same kauke move again.`,
};

/** Call at a start before migrating or writing. @throws StoreStartError `moved` */
export async function refuseMoved(db: Database): Promise<void> {
  const mark = await readMark(db);
  if (mark !== null) throw new StoreStartError("moved", sentences[mark.state](mark.place));
}
