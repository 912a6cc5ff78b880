import { setImmediate as nextTurn } from "node:timers/promises";
import { type ImportResult, importPageSize } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type AliasImport, BATCH_ROWS, type ImportRow } from "./import.ts";

export interface ImportPage {
  number: number;
  /** Number of pages of rows with the chosen outcome. */
  count: number;
  rows: ImportRow[];
}

type Deps = Pick<CoreDeps, "imports">;

/** @throws AppError `not_found` */
export async function findImport(
  { imports }: Deps,
  { userId, importId }: { userId: string; importId: string },
): Promise<AliasImport> {
  const found = await imports.find(userId, importId);
  if (found === null) throw new AppError("not_found", { message: "Import not found" });
  return found;
}

/** @param number from 0; pages after the last one are empty */
export async function importPage(
  deps: Deps,
  found: AliasImport,
  { number, result }: { number: number; result: ImportResult | null },
): Promise<ImportPage> {
  const total = result === null ? found.rows : found.summary.counts[result];
  const count = Math.ceil(total / importPageSize);
  if (number >= count) return { number, count, rows: [] };
  const from = number * importPageSize;
  const rows = await (result === null ? anyRows(deps, found, from) : rowsOf(deps, found, { result, from }));
  return { number, count, rows };
}

async function anyRows({ imports }: Deps, { id }: AliasImport, from: number): Promise<ImportRow[]> {
  // A page never spans two batches: a batch consists of whole pages.
  const batch = await imports.batch(id, Math.floor(from / BATCH_ROWS));
  const start = from % BATCH_ROWS;
  return batch?.slice(start, start + importPageSize) ?? [];
}

async function rowsOf(
  { imports }: Deps,
  { id }: AliasImport,
  { result, from }: { result: ImportResult; from: number },
): Promise<ImportRow[]> {
  const found: ImportRow[] = [];
  let skipped = 0;
  for (let position = 0; found.length < importPageSize; position += 1) {
    const batch = await imports.batch(id, position);
    if (batch === null) break;
    for (const row of batch.filter((row) => row.result === result)) {
      if (skipped < from) skipped += 1;
      else found.push(row);
    }
    await nextTurn();
  }
  return found.slice(0, importPageSize);
}

/** Aliases that it created stay. @throws AppError `not_found`; `too_late` while it is running */
export async function deleteImport(
  { imports }: Deps,
  { userId, importId }: { userId: string; importId: string },
): Promise<void> {
  const { state } = await findImport({ imports }, { userId, importId });
  if (state === "running" || state === "undoing")
    throw new AppError("too_late", { message: "The import is running. Please wait until it has ended." });
  await imports.delete(userId, importId);
}
