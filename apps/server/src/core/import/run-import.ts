/**
 * Runs and undoes imports in the background, a batch after the other. Each batch is one transaction that says so in the
 * stored import, so that a killed process loses nothing: whoever asks for the import next continues it.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "@kauke/contract";
import type { Alias } from "../alias/alias.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import type { AliasImport, BatchOutcome, ImportRow } from "./import.ts";

type Deps = Pick<CoreDeps, "imports" | "clock"> & { random: Random; logger: Logger };

/** How long a process may work on an import without renewing; a batch takes less than a second. */
const LEASE_MS = 60_000;

export class ImportRunner {
  readonly #deps: Deps;
  readonly #holder: string;
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#holder = deps.random.uuid();
  }

  /** Works on an import that is running or being undone, unless this or another process does. */
  continue(work: AliasImport): void {
    if (this.#isClosed || this.#running.has(work.id)) return;
    if (work.state !== "running" && work.state !== "undoing") return;
    const done = this.#work(work)
      .catch(() => this.#deps.logger.error("import_failed", { id: work.id }))
      .finally(() => this.#running.delete(work.id));
    this.#running.set(work.id, done);
  }

  /** Resolves when no import is being worked on. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Ends after the current batches; what is left is continued later. */
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
    const { imports, clock } = this.#deps;
    if (work.state === "undoing") return imports.undoBatch(work.id);
    const now = clock.now();
    return imports.runBatch(work.id, (row) => aliasOf(row, work, now));
  }
}

/** The alias that a row makes; `null` for a row that makes none. */
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
    createdAt: now,
  };
}

const notFound = () => new AppError("not_found", { message: "Import not found" });

/** Starts a dry run; one that runs or ran already stays as it is. @throws AppError `not_found`, `too_late`, `busy` */
export async function runImport(
  deps: Pick<CoreDeps, "imports">,
  { userId, importId }: { userId: string; importId: string },
): Promise<AliasImport> {
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

/** One import of an account works at a time, so that its aliases stay within their limit. */
function refuseSecond(others: readonly AliasImport["state"][]): void {
  if (others.some((state) => state === "running" || state === "undoing"))
    throw new AppError("busy", { message: "Another import of yours is running. Please wait until it has ended." });
}

/** Until when an import can be undone; `null` when there is nothing to undo. */
export function undoUntil({
  state,
  changedAt,
  summary,
}: Pick<AliasImport, "state" | "changedAt" | "summary">): Date | null {
  if (state !== "done" || summary.made === 0) return null;
  return new Date(changedAt.getTime() + limits.importUndoHours * 3_600_000);
}

/** Starts to undo an import; one that is undone stays as it is. @throws AppError `not_found`, `too_late`, `busy` */
export async function undoImport(
  deps: Pick<CoreDeps, "imports"> & { clock: Clock },
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
