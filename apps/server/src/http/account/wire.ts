import type { AccountExport } from "../../core/account-export/export-account.ts";

/** The account export on the wire. Only its own date is converted here: JSON writes those in rows as ISO 8601. */
export function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}
