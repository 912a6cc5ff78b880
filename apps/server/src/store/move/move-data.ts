/**
 * Moves everything between two unused databases, then compares every row and body; only then the source is marked as
 * left. A killed move continues after its last committed page.
 */
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { isMessageFile } from "../queue/in-flight.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import {
  type BodyPair,
  bodiesInFiles,
  bodiesInRows,
  compareBodies,
  copyBodies,
  type MovedBodies,
} from "./move-bodies.ts";
import type { MoveEnd } from "./move-ends.ts";
import { MoveError } from "./move-error.ts";
import { MARK_TABLE, type MoveMark, readMark, removeMark, writeMark } from "./move-mark.ts";
import { compareRows, copyRows, fillLater } from "./move-rows.ts";
import { movedTables, tableNames } from "./move-tables.ts";

export interface MoveStep {
  /** `copied` and `compared` name a table, or `bodies`. */
  step: "copied" | "compared";
  what: string;
  count: number;
  /** False while more pages follow. */
  isEnd: boolean;
}

export interface Moved {
  rows: number;
  messages: number;
  /** Files of messages in flight that stay in the source's data directory, because they are damaged. */
  unreadable: number;
  /** True if an earlier run had moved everything already. */
  wasDone: boolean;
}

interface Move {
  source: MoveEnd;
  target: MoveEnd;
  report(step: MoveStep): void;
}

/** @throws MoveError, StoreStartError */
export async function moveData(move: Move): Promise<Moved> {
  const { source, target } = move;
  await source.refuseServers();
  await target.refuseServers();
  const [leaving, arriving] = [await readMark(source.db), await readMark(target.db)];
  if (leaving?.state === "arriving")
    throw new MoveError(`A move from ${leaving.place} to here is unfinished, so nothing can be moved from here.`);
  const isSame = leaving !== null && arriving?.state === "arriving" && leaving.id === arriving.id;
  if (leaving?.state === "left") return await finishLeft(move, leaving, isSame);
  if (arriving !== null && !isSame)
    throw new MoveError(
      "The target holds an unfinished move of other data, or of this before it was forgotten. Empty it first.",
    );
  if (!isSame) await refuseUsed(target);
  const keys = await source.prepare();
  await target.migrate();
  const id = isSame ? leaving.id : randomUUID();
  await writeMark(source.db, { id, state: "leaving", place: target.place });
  await writeMark(target.db, { id, state: "arriving", place: source.place });
  const moved = await copyAndCompare(move, keys);
  await source.refuseServers();
  // A kill between the two leaves a source that does not start, and a target that only needs this step again.
  await writeMark(source.db, { id, state: "left", place: target.place });
  await removeMark(target.db);
  return moved;
}

async function finishLeft({ source, target }: Move, leaving: MoveMark, isSame: boolean): Promise<Moved> {
  if (isSame) await removeMark(target.db);
  else if (leaving.place !== target.place) throw new MoveError(`This data was moved to ${leaving.place} already.`);
  return { rows: 0, messages: 0, unreadable: await countUnreadable(source), wasDone: true };
}

/** Of the files that were there, `prepare` has enqueued the others. */
async function countUnreadable({ dataDir }: MoveEnd): Promise<number> {
  if (dataDir === null) return 0;
  const names = await readdir(join(dataDir, "underway")).catch(() => []);
  return names.filter(isMessageFile).length;
}

/** Tables of the embedded database besides those of `DB`. */
const ownTables: readonly string[] = [...tableNames, MARK_TABLE, "durability_check"];

async function refuseUsed({ db, place }: MoveEnd): Promise<void> {
  const { rows } = await sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() ORDER BY 1`.execute(db);
  for (const { name } of rows) {
    if (!ownTables.includes(name))
      throw new MoveError(`There are tables of another program in ${place}. Give an empty database.`);
    if (name === "durability_check" || name === "schema_migration") continue;
    const { rows: found } = await sql`SELECT FROM ${sql.table(name)} LIMIT 1`.execute(db);
    if (found.length > 0) throw new MoveError(`There is data of Kauke in ${place} already. Give an empty database.`);
  }
}

async function copyAndCompare({ source, target, report }: Move, keys: ServerKeys): Promise<Moved> {
  const pair = { from: source.db, to: target.db };
  for (const table of movedTables) {
    const say = (count: number, isEnd = false) => report({ step: "copied", what: table.name, count, isEnd });
    say(await copyRows(pair, table, say), true);
  }
  for (const table of movedTables) await fillLater(pair, table);
  const bodies: BodyPair = { db: source.db, from: bodiesOf(source, keys), to: bodiesOf(target, keys) };
  const sayBodies = (count: number, isEnd = false) => report({ step: "copied", what: "bodies", count, isEnd });
  const messages = await copyBodies(bodies, sayBodies);
  sayBodies(messages, true);
  const rows = await compareAll({ source, target, report }, bodies);
  return { rows, messages, unreadable: await countUnreadable(source), wasDone: false };
}

async function compareAll({ source, target, report }: Move, bodies: BodyPair): Promise<number> {
  let rows = 0;
  for (const table of movedTables) {
    const count = await compareRows({ from: source.db, to: target.db }, table);
    if (typeof count !== "number") throw differs(`rows of ${count.table}`);
    report({ step: "compared", what: table.name, count, isEnd: true });
    rows += count;
  }
  if ((await compareBodies(bodies)) !== null) throw differs("bodies of messages");
  return rows;
}

const differs = (what: string) =>
  new MoveError(
    `After the copy, ${what} differ: something else wrote into one of the two databases. The source is unchanged. Run kauke move forget, empty the target and begin again.`,
  );

function bodiesOf({ db, dataDir }: MoveEnd, keys: ServerKeys): MovedBodies {
  return dataDir === null ? bodiesInRows(db) : bodiesInFiles(dataDir, keys);
}
