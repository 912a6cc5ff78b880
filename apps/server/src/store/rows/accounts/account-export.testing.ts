/** Reads an account's export with the pages of each table put together, as it is sent on the wire. */
import type { AccountExportStore } from "../../../core/account-export.ts";

export type WholeExport = Record<string, { about: string; rows: Record<string, unknown>[] }>;

/** Reads an account's export to its end. @returns `null` when the account does not exist */
export async function wholeExport(store: AccountExportStore, userId: string): Promise<WholeExport | null> {
  const tables = await store.read(userId);
  if (tables === null) return null;
  const whole: [string, { about: string; rows: unknown[] }][] = [];
  for (const [name, { about, rows: pages }] of Object.entries(tables)) {
    const rows: unknown[] = [];
    for await (const page of pages) rows.push(...page);
    whole.push([name, { about, rows }]);
  }
  return JSON.parse(JSON.stringify(Object.fromEntries(whole))) as WholeExport;
}
