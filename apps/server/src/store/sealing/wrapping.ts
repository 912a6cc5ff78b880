/** Re-wraps the keys of the embedded store under a new wrapping key, in a single commit. */
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { underStartLock } from "../migrate.ts";
import { unwrapKey, wrapKey } from "./server-keys.ts";

export function rewrapKeys(db: Database, { from, to }: { from: Buffer; to: Buffer }): Promise<void> {
  return underStartLock(db, async (trx) => {
    const rows = await trx.selectFrom("server_key").selectAll().execute();
    for (const { id, wrapped } of rows) {
      const anew = wrapKey(to, id, unwrapKey(from, id, wrapped));
      await trx.updateTable("server_key").set({ wrapped: anew }).where("id", "=", id).execute();
    }
  });
}

/** Whether the stored keys were wrapped by the given wrapping key; false if there are no keys. */
export async function isWrappedBy(db: Database, secretKey: Buffer): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`SELECT to_regclass('server_key')::text AS found`.execute(db);
  if ((rows[0]?.found ?? null) === null) return false;
  const row = await db.selectFrom("server_key").selectAll().limit(1).executeTakeFirst();
  try {
    return row !== undefined && unwrapKey(secretKey, row.id, row.wrapped).length > 0;
  } catch {
    return false;
  }
}
