import type { AccountExport } from "../../core/account-export/export-account.ts";

/** Dates of rows stay what they are: JSON writes them in ISO 8601. */
export function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}
