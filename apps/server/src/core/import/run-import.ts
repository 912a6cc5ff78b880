import { setImmediate as nextTurn } from "node:timers/promises";
import { type ImportResult, importPageSize, limits } from "@kauke/contract";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";
import type { Alias } from "../alias/alias.ts";
import { isOnOwnDomain } from "../alias/alias-rules.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type LimitDeps, takeWeightedLimit } from "../take-limit.ts";
import { type AliasImport, BATCH_ROWS, type BatchOutcome, type ImportRow } from "./import.ts";

type Deps = Pick<CoreDeps, "imports">;
type RunnerDeps = Pick<CoreDeps, "imports" | "mailDomains"> & { clock: Clock; random: Random; logger: Logger };

/** Milliseconds; a batch takes less than a second. */
const LEASE_MS = 60_000;

export class ImportRunner {
  readonly #deps: RunnerDeps;
  readonly #holder: string;
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#holder = deps.random.uuid();
  }

  continue(work: AliasImport): void {
    if (this.#isClosed || this.#running.has(work.id)) return;
    if (work.state !== "running" && work.state !== "undoing") return;
    const done = this.#work(work)
      .catch(() => this.#deps.logger.error("import_failed", { id: work.id }))
      .finally(() => this.#running.delete(work.id));
    this.#running.set(work.id, done);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Ends after the batches in progress; a later process continues the imports. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #work(work: AliasImport): Promise<void> {
    const { imports, clock } = this.#deps;
    const until = () => new Date(clock.now().getTime() + LEASE_MS);
    while (!this.#isClosed && (await imports.lease(work.id, this.#holder, until()))) {
      const outcome = await this.#batch(work);
      if (outcome?.isMore !== true) break;
      await nextTurn();
    }
    await imports.release(work.id, this.#holder);
  }

  #batch(work: AliasImport): Promise<BatchOutcome | null> {
    const { imports, clock, mailDomains } = this.#deps;
    if (work.state === "undoing") return imports.undoBatch(work.id);
    const now = clock.now();
    return imports.runBatch(work.id, (row) => {
      const alias = aliasOf(row, work, now);
      return alias && { ...alias, isOnOwnDomain: isOnOwnDomain(alias, mailDomains) };
    });
  }
}

function aliasOf(row: ImportRow, { userId, summary }: AliasImport, now: Date): Alias | null {
  if (row.alias === null || row.aliasId === null) return null;
  const { destinations } = row;
  return {
    id: row.aliasId,
    userId,
    ...row.alias,
    routing: row.active ? { state: "active", destinations } : { state: "paused", lastDestinations: destinations },
    notes: row.notes,
    providerId: null,
    sealTo: "account",
    labels: summary.label === null ? [] : [summary.label],
    pinned: false,
    writeByAddress: false,
    createdAt: now,
  };
}

const notFound = () => new AppError("not_found", { message: "Import not found" });

export interface ImportToRun {
  userId: string;
  importId: string;
  clientAddress: string;
}

/** Runs an import, if it has not run yet. @throws AppError `not_found`, `too_late`, `busy`, `rate_limited` */
export async function runImport(
  deps: Deps & LimitDeps,
  { userId, importId, clientAddress }: ImportToRun,
): Promise<AliasImport> {
  const planned = await deps.imports.find(userId, importId);
  const weight = planned?.state === "planned" ? planned.summary.counts.unchecked : 0;
  const parties = weight === 0 ? [] : [{ userId }, { ipAddress: clientAddress }];
  for (const party of parties) await takeWeightedLimit(deps, "import_unchecked", { ...party, weight });
  const started = await deps.imports.change(userId, importId, ({ state, summary }, others) => {
    if (state === "undoing" || state === "undone")
      throw new AppError("too_late", { message: "This import was undone. Please read the file again." });
    if (state !== "planned") return null;
    refuseSecond(others);
    return { state: summary.progress.total === 0 ? "done" : "running", summary };
  });
  if (started === null) throw notFound();
  return started;
}

/** Two imports at once could exceed the account's limit of aliases. */
function refuseSecond(others: readonly AliasImport["state"][]): void {
  if (others.some((state) => state === "running" || state === "undoing"))
    throw new AppError("busy", { message: "Another import of yours is running. Please wait until it has ended." });
}

/** Until when an import can be undone; `null` while it is not finished, or if it created nothing. */
export function undoUntil({
  state,
  changedAt,
  summary,
}: Pick<AliasImport, "state" | "changedAt" | "summary">): Date | null {
  if (state !== "done" || summary.made === 0) return null;
  return new Date(changedAt.getTime() + limits.importUndoHours * 3_600_000);
}

/** @throws AppError `not_found`, `too_late`, `busy` */
export async function undoImport(
  deps: Deps & { clock: Clock },
  { userId, importId }: { userId: string; importId: string },
): Promise<AliasImport> {
  const started = await deps.imports.change(userId, importId, (now, others) => {
    if (now.state === "undoing" || now.state === "undone") return null;
    const until = undoUntil(now);
    if (until === null || until <= deps.clock.now())
      throw new AppError("too_late", { message: "An import can be undone within an hour after it has ended." });
    refuseSecond(others);
    return { state: "undoing", summary: { ...now.summary, progress: { done: 0, total: now.summary.made } } };
  });
  if (started === null) throw notFound();
  return started;
}

export interface ImportPage {
  number: number;
  count: number;
  rows: ImportRow[];
}

/** @throws AppError `not_found` */
export async function findImport(
  { imports }: Deps,
  { userId, importId }: { userId: string; importId: string },
): Promise<AliasImport> {
  const found = await imports.find(userId, importId);
  if (found === null) throw notFound();
  return found;
}

/** @param number page from 0; pages after the last one are empty */
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
  // A stored batch consists of whole pages.
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
    for (const row of batch.filter((one) => one.result === result)) {
      if (skipped < from) skipped += 1;
      else found.push(row);
    }
    await nextTurn();
  }
  return found.slice(0, importPageSize);
}

/** Deletes the import, not its aliases. @throws AppError `not_found`; `too_late` while the import is running */
export async function deleteImport(
  { imports }: Deps,
  { userId, importId }: { userId: string; importId: string },
): Promise<void> {
  const { state } = await findImport({ imports }, { userId, importId });
  if (state === "running" || state === "undoing")
    throw new AppError("too_late", { message: "The import is running. Please wait until it has ended." });
  await imports.delete(userId, importId);
}
