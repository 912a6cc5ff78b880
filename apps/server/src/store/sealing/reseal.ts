/** Reseals rows of older keys, a few per commit, skipping locked ones; the caller repeats. Bodies just expire. */

import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { StoreContext } from "../store-context.ts";
import { SealError } from "./seal.ts";
import type { KeyRing, SealedTable } from "./server-keys.ts";

/** Rows per commit: few, so that neither locks nor the event loop are held for long. */
const ROWS_AT_ONCE = 64;

interface ResealTable {
  name: SealedTable;
  key: "id" | "alias_id" | "token_hash" | "token";
  rowsAtOnce?: number;
}

export const resealTables: readonly ResealTable[] = [
  ...(
    [
      "user",
      "account_domain",
      "account_domain_key",
      "account_domain_certificate",
      "alias",
      "destination",
      "smtp_credential",
      "encryption_key",
      "email_job",
    ] as const
  ).map(byId),
  byId("alias_import"),
  // Each row of this table holds up to 500 rows of a file.
  { name: "alias_import_batch", key: "id", rowsAtOnce: 4 },
  ...(
    [
      "message",
      "delivery",
      "notice",
      "session",
      "mailbox",
      "api_key",
      "label",
      "checklist",
      "invitation",
      "contact",
    ] as const
  ).map(byId),
  { name: "one_time_token", key: "token_hash" },
  { name: "bounce_sender", key: "token" },
  byId("certificate_record"),
  byId("operator_act"),
  byId("mail_probe"),
  { name: "provider_alias", key: "alias_id" },
];

function byId(name: SealedTable): ResealTable {
  return { name, key: "id" };
}

export interface ResealOptions {
  report(rows: number): void;
  isStopped(): boolean;
}

type ResealContext = Pick<StoreContext, "db"> & { keys: KeyRing };

export async function resealAll(context: ResealContext, { report, isStopped }: ResealOptions): Promise<void> {
  for (const table of resealTables) {
    let after: Buffer | string | null = null;
    do {
      if (isStopped()) return;
      const last: Buffer | string | null = await lastOfPage(context, table, after);
      report(await resealPage(context, table, { after, last }));
      after = last;
      await nextTurn();
    } while (after !== null);
  }
}

/** @returns id of the page's last row; `null` for the last page */
async function lastOfPage({ db }: ResealContext, table: ResealTable, after: Buffer | string | null) {
  const { name, key, rowsAtOnce = ROWS_AT_ONCE } = table;
  const column = sql.ref(key);
  const { rows } = await sql<{ last: Buffer | string }>`
    SELECT ${column} AS last FROM ${sql.table(name)} WHERE ${after === null ? sql`true` : sql`${column} > ${after}`}
    ORDER BY ${column} OFFSET ${sql.lit(rowsAtOnce - 1)} LIMIT 1`.execute(db);
  return rows[0]?.last ?? null;
}

interface Page {
  after: Buffer | string | null;
  last: Buffer | string | null;
}

function resealPage({ db, keys }: ResealContext, { name, key }: ResealTable, { after, last }: Page): Promise<number> {
  const [table, column] = [sql.table(name), sql.ref(key)];
  const type = sql.raw(key === "id" || key === "alias_id" ? "uuid" : "bytea");
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ key: Buffer | string; sealed: Buffer }>`
      SELECT ${column} AS key, sealed FROM ${table}
      WHERE ${after === null ? sql`true` : sql`${column} > ${after}`}
        AND ${last === null ? sql`true` : sql`${column} <= ${last}`}
        AND substring(sealed FROM 1 FOR 4) <> ${keyPrefix(keys.sealingKeyId())}
      ORDER BY ${column} FOR NO KEY UPDATE SKIP LOCKED`.execute(trx);
    if (rows.length === 0) return 0;
    const values = rows.flatMap((row) => {
      const anew = resealed(keys, name, row);
      return anew === null ? [] : [sql`(${row.key}::${type}, ${anew}::bytea)`];
    });
    if (values.length === 0) return 0;
    await sql`UPDATE ${table} AS old SET sealed = anew.sealed FROM (VALUES ${sql.join(values)}) AS anew(key, sealed)
      WHERE old.${column} = anew.key`.execute(trx);
    return values.length;
  });
}

/** @returns `null` for a damaged row, which stays unchanged and fails when it is read */
function resealed(keys: KeyRing, table: SealedTable, row: { key: Buffer | string; sealed: Buffer }): Buffer | null {
  const context = `${table}:sealed:${typeof row.key === "string" ? row.key : row.key.toString("hex")}`;
  try {
    return keys.sealBytes(context, keys.openBytes(context, row.sealed));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Every value that a key sealed begins with this prefix. */
export function keyPrefix(keyId: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(keyId);
  return prefix;
}

interface OlderThan {
  keyId: number;
  isStopped?: () => boolean;
}

export async function countOlderRows(context: Pick<StoreContext, "db">, older: OlderThan): Promise<number> {
  let count = 0;
  for (const { name } of resealTables) for await (const some of countsOf(context, name, older)) count += some;
  return count;
}

export async function isAnyRowOlder(context: Pick<StoreContext, "db">, keyId: number): Promise<boolean> {
  for (const { name } of resealTables)
    for await (const some of countsOf(context, name, { keyId })) if (some > 0) return true;
  return false;
}

/** Whether another key sealed a body in rows; bodies are never resealed. */
export async function isAnyBodyOlder(context: Pick<StoreContext, "db">, keyId: number): Promise<boolean> {
  for await (const some of countsOf(context, "message_chunk", { keyId })) if (some > 0) return true;
  return false;
}

/** Blocks of 8 KiB that one query reads: some milliseconds of the embedded database. */
const BLOCKS_AT_ONCE = 256;

/** Counts rows block by block in physical order, without an index and without locks. */
async function* countsOf(
  { db }: Pick<StoreContext, "db">,
  name: string,
  { keyId, isStopped = () => false }: OlderThan,
): AsyncGenerator<number> {
  const size = await sql<{ blocks: number }>`SELECT pg_relation_size(${sql.lit(`"${name}"`)}::regclass)
    / current_setting('block_size')::integer AS blocks`.execute(db);
  const blocks = size.rows[0]?.blocks ?? 0;
  for (let from = 0; from < blocks && !isStopped(); from += BLOCKS_AT_ONCE) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(name)}
      WHERE ctid >= ${tid(from)} AND ctid < ${tid(from + BLOCKS_AT_ONCE)}
        AND substring(sealed FROM 1 FOR 4) <> ${keyPrefix(keyId)}`.execute(db);
    yield rows[0]?.count ?? 0;
    await nextTurn();
  }
}

const tid = (block: number) => sql`${sql.lit(`(${block},0)`)}::tid`;

/** Files begin with their key's id. An unreadable one counts, so that no key is deleted that it may need. */
export async function isAnyFileOlder(dataDir: string, keyId: number): Promise<boolean> {
  const prefix = keyPrefix(keyId);
  for (const folder of ["spool", "underway"]) if (await isAnyOlderIn(join(dataDir, folder), prefix)) return true;
  return false;
}

async function isAnyOlderIn(folder: string, prefix: Buffer): Promise<boolean> {
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !(await startsWith(join(entry.parentPath, entry.name), prefix))) return true;
    return false;
  } catch (thrown) {
    return !isMissing(thrown);
  }
}

const isMissing = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code === "ENOENT";

async function startsWith(path: string, prefix: Buffer): Promise<boolean> {
  const handle = await open(path, "r").catch((thrown: unknown) => {
    if (isMissing(thrown)) return null;
    throw thrown;
  });
  if (handle === null) return true;
  try {
    const { buffer } = await handle.read(Buffer.alloc(prefix.length), 0, prefix.length, 0);
    return buffer.equals(prefix);
  } finally {
    await handle.close();
  }
}
