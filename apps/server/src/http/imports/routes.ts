import { formatForwardTo, type ImportRowWire, type ImportWire } from "@kauke/contract";
import { exportAliases } from "../../core/alias/export-aliases.ts";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { createImport } from "../../core/import/create-import.ts";
import type { AliasImport, ImportRow } from "../../core/import/import.ts";
import type { ReadingPlace } from "../../core/import/reading-places.ts";
import {
  deleteImport,
  findImport,
  type ImportRunner,
  importPage,
  runImport,
  undoImport,
  undoUntil,
} from "../../core/import/run-import.ts";
import { keptUntil } from "../../core/retention.ts";
import { steadyMs } from "../../runtime/ports.ts";
import type { Handlers } from "../handler.ts";

/** @throws AppError `invalid` when the client disconnects before the end of the file */
async function* whole(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw new AppError("invalid", { message: "The file did not arrive whole." }, error);
  }
}

export function importHandlers(deps: CoreDeps, runner: ImportRunner) {
  return {
    async createImport({ userId, query, bytes, clientAddress }) {
      const { format = "auto", domain, label = null } = query;
      if (bytes === null) throw new AppError("invalid", { message: "The body must be the file." });
      const expected = format === "auto" ? undefined : format;
      const open = (place: ReadingPlace) => deps.aliasSources.readFile(place.arriving(whole(bytes)), expected);
      return importToWire(await createImport(deps, { userId, domain, label, clientAddress, open }));
    },
    async createImportFromService({ userId, body, clientAddress }) {
      const { domain, label = null } = body;
      const now = () => steadyMs(deps.clock);
      const open = async (place: ReadingPlace) =>
        deps.aliasSources.openService(body, { serviceFetch: place.fetch(deps.serviceFetch), now });
      return importToWire(await createImport(deps, { userId, domain, label, clientAddress, open }));
    },
    async listImports({ userId }) {
      const imports = await deps.imports.list(userId);
      for (const one of imports) runner.continue(one);
      return { imports: imports.map(importToWire) };
    },
    async getImport({ userId, params, query }) {
      const found = await findImport(deps, { userId, importId: params.importId });
      runner.continue(found);
      const page = await importPage(deps, found, { number: query.page ?? 0, result: query.result ?? null });
      return { ...importToWire(found), page: { ...page, rows: page.rows.map(importRowToWire) } };
    },
    async runImport({ userId, params, clientAddress }) {
      const started = await runImport(deps, { userId, importId: params.importId, clientAddress });
      runner.continue(started);
      return importToWire(started);
    },
    async undoImport({ userId, params }) {
      const started = await undoImport(deps, { userId, importId: params.importId });
      runner.continue(started);
      return importToWire(started);
    },
    async deleteImport({ userId, params }) {
      await deleteImport(deps, { userId, importId: params.importId });
      return { message: "Import deleted" };
    },
    exportAliases: async ({ userId, params, query }) =>
      exportAliases(deps, { userId, format: params.format, isSafe: query.safe === "spreadsheet" }),
  } satisfies Partial<Handlers>;
}

export function importToWire(stored: AliasImport): ImportWire {
  const { summary } = stored;
  const hasEnded = stored.state === "done" || stored.state === "undone";
  return {
    importId: stored.id,
    // An import that is still being read is never shown.
    state: stored.state === "reading" ? "planned" : stored.state,
    format: summary.format,
    domain: summary.domain,
    createdAt: stored.createdAt.toISOString(),
    endedAt: hasEnded ? stored.changedAt.toISOString() : null,
    undoUntil: undoUntil(stored)?.toISOString() ?? null,
    deletedAt: keptUntil("aliasImport", stored.changedAt).toISOString(),
    rows: stored.rows,
    counts: summary.counts,
    progress: summary.progress,
    made: summary.made,
    undone: summary.undone,
    kept: summary.kept,
    keptCount: summary.keptCount,
    unconfirmed: summary.unconfirmed,
    remarks: summary.remarks,
  };
}

export function importRowToWire(row: ImportRow): ImportRowWire {
  return {
    row: row.row,
    address: row.address,
    result: row.result,
    becomes: row.alias === null || row.result === "unchecked" ? null : `${row.alias.name}@${row.alias.domain}`,
    reason: row.reason,
    forwardTo: formatForwardTo(row.destinations),
    active: row.active,
    notes: row.notes,
    made: row.made,
  };
}
