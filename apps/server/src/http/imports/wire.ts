/** Converts imports between core types and the API's JSON. */
import { formatForwardTo, type ImportRowWire, type ImportWire } from "@kauke/contract";
import type { AliasImport, ImportRow } from "../../core/import/import.ts";
import { undoUntil } from "../../core/import/run-import.ts";
import { keptUntil } from "../../core/retention.ts";

export function importToWire(it: AliasImport): ImportWire {
  const { summary } = it;
  const hasEnded = it.state === "done" || it.state === "undone";
  return {
    importId: it.id,
    // An import that is still being read is never shown.
    state: it.state === "reading" ? "planned" : it.state,
    format: summary.format,
    domain: summary.domain,
    createdAt: it.createdAt.toISOString(),
    endedAt: hasEnded ? it.changedAt.toISOString() : null,
    undoUntil: undoUntil(it)?.toISOString() ?? null,
    deletedAt: keptUntil("aliasImport", it.changedAt).toISOString(),
    rows: it.rows,
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
