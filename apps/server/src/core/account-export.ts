import { product } from "@kauke/contract";
import { AppError } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

/** A row as exported: in clear text, without keyed hashes and other binary columns. */
export interface ExportedRow {
  readonly [column: string]: unknown;
  /** ISO 8601 date at which the row is deleted, or a sentence such as `with the account`. */
  readonly deletionDate: string;
}

export interface ExportedTable {
  /** Tells the account's owner what the table contains, and what the export leaves out. */
  about: string;
  rows: AsyncIterable<readonly ExportedRow[]>;
}

/** Every table of the database, also those without account data. */
export type ExportedTables = Readonly<Record<string, ExportedTable>>;

export interface AccountExportStore {
  /** @returns `null` when the account no longer exists */
  read(userId: string): Promise<ExportedTables | null>;
}

export interface AccountExport {
  service: string;
  exportedAt: Date;
  accountId: string;
  notes: readonly string[];
  tables: ExportedTables;
}

type ExportDeps = LimitDeps & { accountExport: AccountExportStore };

const notes = [
  "Every row says when it is deleted: a date, or a sentence where it depends on what happens.",
  "This file holds the SMTP passwords and webhook secrets of your aliases. Keep it as safe as a password.",
  "Technical logs hold no address, subject, body, IP address or account name, so nothing in them can be found for you.",
  "Limits by network address are kept as keyed hashes of the address alone; which of them are yours cannot be determined.",
  "A message that is being delivered at this very moment may not have a row yet; it is deleted when it is delivered.",
];

/** @throws AppError `rate_limited`; `not_signed_in` when the account no longer exists */
export async function exportAccount(deps: ExportDeps, userId: string): Promise<AccountExport> {
  await takeLimit(deps, "account_export", { userId });
  const tables = await deps.accountExport.read(userId);
  if (tables === null) throw new AppError("not_signed_in");
  return { service: product.name, exportedAt: deps.clock.now(), accountId: userId, notes, tables };
}
