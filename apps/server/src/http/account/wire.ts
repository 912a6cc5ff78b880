import type { AccountExport } from "../../core/account-export.ts";

/**
 * Converts the account export to the wire. Of its dates, only its own is converted to text: JSON writes the dates in
 * its rows as ISO 8601.
 */
export function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}
