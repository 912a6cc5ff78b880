/** Acts that can be undone: each has its own row for ten seconds, apart from the one toast at a time. */
import { makeStore, useStore } from "./store.ts";

const UNDO_MS = 10_000;

export interface Undoable {
  /** What was done, e.g. "Alias Deleted". */
  title: string;
  description?: string;
  /** Reports its failures itself and never rejects. */
  undo(): Promise<void>;
}

export interface UndoRow extends Undoable {
  id: number;
  /** When the row disappears, in milliseconds since the epoch. */
  until: number;
}

const rows = makeStore<readonly UndoRow[]>([]);
let lastId = 0;

const take = (id: number): UndoRow | undefined => {
  const row = rows.read().find((one) => one.id === id);
  rows.set(rows.read().filter((one) => one !== row));
  return row;
};

/** Shows a row on top of the others. @returns its id */
export function offerUndo(act: Undoable): number {
  lastId += 1;
  const id = lastId;
  rows.set([{ ...act, id, until: Date.now() + UNDO_MS }, ...rows.read()]);
  setTimeout(() => take(id), UNDO_MS);
  return id;
}

export async function undo(id: number): Promise<void> {
  await take(id)?.undo();
}

export const useUndoRows = (): readonly UndoRow[] => useStore(rows);
