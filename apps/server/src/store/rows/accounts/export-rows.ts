/** Rows of one account read page by page as they are asked for, and a row in clear form: its plain columns and what its sealed document holds. */
import type { Database } from "../../database.ts";
import type { SealedTable, ServerKeys } from "../../sealing/server-keys.ts";

export type AnyRow = Record<string, unknown>;
/** Tables with an id and an owner. */
export type OwnedTable =
  | "alias"
  | "destination"
  | "smtp_credential"
  | "encryption_key"
  | "email_job"
  | "delivery"
  | "notice";

const ROWS_AT_ONCE = 200;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

interface PageReader<Row, Shown> {
  page(after: string, limit: number): Promise<Row[]>;
  show(row: Row): Shown;
}

export async function* inPages<Row extends { id: string }, Shown>({
  page,
  show,
}: PageReader<Row, Shown>): AsyncGenerator<Shown[]> {
  for (let after = BEFORE_ALL; ; ) {
    const rows = await page(after, ROWS_AT_ONCE);
    yield rows.map(show);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
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
      // One of them stands for all: they share the columns named here.
      const mine = db
        .selectFrom(table as "notice")
        .selectAll()
        .where("user_id", "=", userId);
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => show({ ...row }),
  });
}

/** @param row with its `id` as it was sealed; keyed hashes and other bytes are left out */
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
