import type { AccountExport } from "../../core/account-export/export-account.ts";

/** Converts only the export's own date; JSON writes the dates in rows as ISO 8601. */
export function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}
