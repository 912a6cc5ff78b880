import type { AccountExportWire } from "@kauke/contract";
import type { AccountExport } from "../../core/account-export/export-account.ts";

/** Dates of rows stay what they are: JSON writes them in ISO 8601. */
export function accountExportToWire({
  service,
  exportedAt,
  accountId,
  notes,
  tables,
}: AccountExport): AccountExportWire {
  const rowsOf = (rows: AccountExport["tables"][string]["rows"]) => [...rows];
  const shown = Object.entries(tables).map(([name, { about, rows }]) => [name, { about, rows: rowsOf(rows) }] as const);
  return {
    service,
    exportedAt: exportedAt.toISOString(),
    accountId,
    notes: [...notes],
    tables: Object.fromEntries(shown),
  };
}
