/** Copies and compares a table in pages by primary key. PostgreSQL writes and reads rows as JSON, unconverted. */
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database.ts";
import type { MovedTable } from "./move-tables.ts";

export interface MovePair {
  from: Database;
  to: Database;
}

type Key = readonly string[];

/** @param report gets the number of rows in the target after each page */
export async function copyRows({ from, to }: MovePair, table: MovedTable, report: (rows: number) => void) {
  let copied = await countRows(to, table);
  let after = await lastKey(to, table);
  for (;;) {
    const page = await readPage(from, table, after);
    if (page === null) return copied;
    const target = sql.table(table.name);
    await sql`INSERT INTO ${target} SELECT * FROM json_populate_recordset(null::${target}, ${page.json}::text::json)`.execute(
      to,
    );
    copied += page.rows;
    after = page.last;
    report(copied);
  }
}

/** Fills in the column `filledLater`. Idempotent. */
export async function fillLater({ from, to }: MovePair, table: MovedTable): Promise<void> {
  if (table.filledLater === undefined) return;
  const { filledLater: name, ...whole } = table;
  const column = sql.ref(name);
  const target = sql.table(table.name);
  for (let after: Key | null = null; ; ) {
    const page: RowPage | null = await readPage(from, whole, after, sql`${column} IS NOT NULL`);
    if (page === null) return;
    const rows = sql`json_populate_recordset(null::${target}, ${page.json}::text::json)`;
    await sql`UPDATE ${target} AS t SET ${column} = r.${column} FROM ${rows} AS r WHERE t.id = r.id`.execute(to);
    after = page.last;
  }
}

export interface Difference {
  table: string;
  /** Key of the row before the differing page; null: the first page. */
  after: Key | null;
}

/** Compares count and digest of every page. @returns the number of rows, or the first difference */
export async function compareRows({ from, to }: MovePair, table: MovedTable): Promise<number | Difference> {
  let compared = 0;
  for (let after: Key | null = null; ; ) {
    const [ours, theirs]: PageDigest[] = [await digestPage(from, table, after), await digestPage(to, table, after)];
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) return { table: table.name, after };
    if (ours === undefined || ours.last === null) return compared;
    compared += ours.rows;
    after = ours.last;
  }
}

interface RowPage {
  rows: number;
  json: string;
  last: Key;
}

async function readPage(
  db: Database,
  table: MovedTable,
  after: Key | null,
  condition?: RawBuilder<unknown>,
): Promise<RowPage | null> {
  const omitted = table.filledLater;
  const row = omitted === undefined ? sql`to_json(page)` : sql`to_jsonb(page) - ${sql.lit(omitted)}`;
  const { rows } = await sql<{ rows: number; json: string | null; last: string | null }>`
    WITH page AS (${pageOf(table, after, condition)})
    SELECT count(*)::int AS rows, json_agg(${row})::text AS json, (${lastOf(table, sql`page`)}) AS last FROM page`.execute(
    db,
  );
  const [found] = rows;
  if (found === undefined || found.json === null) return null;
  return { rows: found.rows, json: found.json, last: JSON.parse(String(found.last)) as Key };
}

interface PageDigest {
  rows: number;
  digest: string;
  last: Key | null;
}

/** jsonb orders an object's members, so the digest does not depend on the order of columns. */
async function digestPage(db: Database, table: MovedTable, after: Key | null): Promise<PageDigest> {
  const text = sql`coalesce(string_agg(to_jsonb(page)::text, ',' ORDER BY ${orderOf(table)}), '')`;
  const { rows } = await sql<{ rows: number; digest: string; last: string | null }>`
    WITH page AS (${pageOf(table, after)})
    SELECT count(*)::int AS rows, encode(sha256(convert_to(${text}, 'UTF8')), 'hex') AS digest,
      (${lastOf(table, sql`page`)}) AS last FROM page`.execute(db);
  const [{ rows: count, digest, last }] = rows as [{ rows: number; digest: string; last: string | null }];
  return { rows: count, digest, last: last === null ? null : (JSON.parse(last) as Key) };
}

/** Also compares the first column alone, which an index serves whatever the collation of the others. */
function pageOf(table: MovedTable, after: Key | null, condition: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> {
  const columns = Object.entries(table.key);
  const values = columns.map(([, type], index) => sql`${after?.[index] ?? ""}::text::${sql.raw(type)}`);
  const isLater =
    after === null
      ? sql`true`
      : sql`${sql.ref((columns[0] as [string, string])[0])} >= ${values[0]} AND (${orderOf(table)}) > (${sql.join(values)})`;
  return sql`SELECT * FROM ${sql.table(table.name)} WHERE ${isLater} AND ${condition}
    ORDER BY ${orderOf(table)} LIMIT ${sql.lit(table.pageRows)}`;
}

/** Sorts text by its bytes, because both databases must sort alike. */
function orderOf({ key }: MovedTable, direction = sql``): RawBuilder<unknown> {
  const columns = Object.entries(key).map(([name, type]) =>
    type === "text" ? sql`${sql.ref(name)} COLLATE "C"${direction}` : sql`${sql.ref(name)}${direction}`,
  );
  return sql.join(columns);
}

function lastOf(table: MovedTable, source: RawBuilder<unknown>): RawBuilder<unknown> {
  const values = Object.keys(table.key).map((name) => sql`${sql.ref(name)}::text`);
  return sql`SELECT json_build_array(${sql.join(values)})::text FROM ${source}
    ORDER BY ${orderOf(table, sql` DESC`)} LIMIT 1`;
}

async function lastKey(db: Database, table: MovedTable): Promise<Key | null> {
  const { rows } = await sql<{ last: string }>`SELECT (${lastOf(table, sql.table(table.name))}) AS last`.execute(db);
  const last = rows[0]?.last ?? null;
  return last === null ? null : (JSON.parse(last) as Key);
}

async function countRows(db: Database, table: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(table.name)}`.execute(db);
  return rows[0]?.count ?? 0;
}
