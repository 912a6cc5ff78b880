/**
 * Reads the rows of one account page by page on demand, and shows a row in clear: its plain columns and the contents of
 * its sealed document.
 */
import type { Database } from "../../database.ts";
import type { SealedTable, ServerKeys } from "../../sealing/server-keys.ts";

export type AnyRow = Record<string, unknown>;
/** Tables that `ownedRows` reads; all have the columns `id` and `user_id`. */
export type OwnedTable =
  | "api_key"
  | "alias"
  | "destination"
  | "mailbox"
  | "smtp_credential"
  | "encryption_key"
  | "label"
  | "alias_import"
  | "email_job"
  | "delivery"
  | "notice"
  | "checklist";

const ROWS_AT_ONCE = 200;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

interface PageReader<Row, Shown> {
  /** Database rows read per page; by default `ROWS_AT_ONCE`. */
  rowsAtOnce?: number;
  page(after: string, limit: number): Promise<Row[]>;
  show(row: Row): Shown;
}

export async function* inPages<Row extends { id: string }, Shown>({
  page,
  show,
  rowsAtOnce = ROWS_AT_ONCE,
}: PageReader<Row, Shown>): AsyncGenerator<Shown[]> {
  for (let after = BEFORE_ALL; ; ) {
    const rows = await page(after, rowsAtOnce);
    yield rows.map(show);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.id;
  }
}

export function ownedRows<Shown>(
  { db, userId }: { db: Database; userId: string },
  table: OwnedTable,
  show: (row: AnyRow) => Shown,
): AsyncGenerator<Shown[]> {
  return inPages({
    page: (after, limit) => {
      // The name of one table stands for all of them in the types, because they share the columns that the query uses.
      const mine = db
        .selectFrom(table as "notice")
        .selectAll()
        .where("user_id", "=", userId);
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => show({ ...row }),
  });
}

/**
 * Returns a row in clear: its plain columns and the fields of its sealed document, without keyed hashes and other
 * binary values.
 * @param row its `id` must be the one the row was sealed with
 */
export function clearRow({ keys }: { keys: ServerKeys }, table: SealedTable, row: AnyRow): AnyRow {
  const plain = Object.entries(row).filter(
    ([name, value]) => !(value instanceof Uint8Array || name.endsWith("_index")),
  );
  const hidden = "token_hash" in row ? new Set(["id"]) : new Set<string>();
  const shown = plain.filter(([name]) => !hidden.has(name)).map(([name, value]) => [inCamelCase(name), value]);
  const { sealed } = row;
  const document = sealed instanceof Uint8Array ? keys.open<AnyRow>(table, String(row.id), sealed) : {};
  return { ...Object.fromEntries(shown), ...document };
}

const inCamelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
