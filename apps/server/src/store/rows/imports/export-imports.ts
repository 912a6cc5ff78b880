/** Rows of imports in an account's export. */
import type { ExportedRow } from "../../../core/account-export.ts";
import { keptUntil } from "../../../core/retention.ts";
import type { Database } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { clearRow, inPages, ownedRows } from "../accounts/export-rows.ts";

interface Source {
  db: Database;
  keys: ServerKeys;
  userId: string;
}

const endOf = (changedAt: Date) => keptUntil("aliasImport", changedAt).toISOString();

export const importTables = {
  alias_import: {
    about: "Imports of aliases: the format, counts, and mailboxes that are not confirmed.",
    rows: (source: Source): AsyncIterable<ExportedRow[]> =>
      ownedRows(source, "alias_import", (row) => ({
        ...clearRow(source, "alias_import", row),
        deletionDate: endOf(row.changed_at as Date),
      })),
  },
  alias_import_batch: { about: "Rows of your imports, up to 500 in each.", rows: batchRows },
} as const;

function batchRows(source: Source): AsyncIterable<ExportedRow[]> {
  return inPages({
    // Few rows are read at once, because each holds up to 500 rows of an imported file.
    rowsAtOnce: 5,
    page: (after, limit) => {
      const own = source.db.selectFrom("alias_import_batch").selectAll("alias_import_batch");
      const dated = own.innerJoin("alias_import", "alias_import.id", "import_id").select("alias_import.changed_at");
      const mine = dated.where("alias_import.user_id", "=", source.userId).where("alias_import_batch.id", ">", after);
      return mine.orderBy("alias_import_batch.id").limit(limit).execute();
    },
    show: ({ changed_at, ...row }) => ({
      ...clearRow(source, "alias_import_batch", { ...row }),
      deletionDate: endOf(changed_at),
    }),
  });
}
