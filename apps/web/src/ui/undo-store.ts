/** Acts that can be undone: each has its own row for ten seconds, apart from the one toast at a time. */
import { makeStore, useStore } from "./store.ts";

export const UNDO_MS = 10_000;

export interface Undoable {
  /** What was done, e.g. "Alias Deleted". */
  title: string;
  description?: string;
  /** When the act can't be undone any more, in milliseconds since the epoch; the row never stays longer. */
  endsAt?: number;
  /** Reports its failures itself and never rejects. */
  undo(): Promise<void>;
}

export interface UndoRow extends Undoable {
  id: number;
  /** When the row disappears, in milliseconds since the epoch. */
  until: number;
  /** Milliseconds that were left when the pointer or the focus came to the row; its time stands still. */
  heldMs?: number;
}

/** Newest first. */
const rows = makeStore<readonly UndoRow[]>([]);
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let lastId = 0;

function take(id: number): UndoRow | undefined {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const row = rows.read().find((one) => one.id === id);
  rows.set(rows.read().filter((one) => one !== row));
  return row;
}

function expireAt(id: number, at: number): void {
  clearTimeout(timers.get(id));
  if (at < Number.POSITIVE_INFINITY)
    timers.set(
      id,
      setTimeout(() => take(id), Math.max(0, at - Date.now())),
    );
}

function change(id: number, changed: (row: UndoRow) => UndoRow): void {
  rows.set(rows.read().map((row) => (row.id === id ? changed(row) : row)));
}

const endOf = ({ endsAt = Number.POSITIVE_INFINITY }: Undoable): number => endsAt;

/** Shows a row on top of the others. @returns its id */
export function offerUndo(act: Undoable): number {
  lastId += 1;
  const id = lastId;
  const until = Math.min(Date.now() + UNDO_MS, endOf(act));
  rows.set([{ ...act, id, until }, ...rows.read()]);
  expireAt(id, until);
  return id;
}

export async function undo(id: number): Promise<void> {
  await take(id)?.undo();
}

/** Takes a row away: there is nothing to undo any more. */
export const withdrawUndo = (id: number): void => void take(id);

/** Changes what a row says, if it is still there. */
export const describeUndo = (id: number, description: string): void => change(id, (row) => ({ ...row, description }));

/** The row's time stands still, but never beyond the end of what can be undone. */
export function holdUndo(id: number): void {
  change(id, (row) => {
    expireAt(id, endOf(row));
    return { ...row, heldMs: row.heldMs ?? Math.max(0, row.until - Date.now()) };
  });
}

export function releaseUndo(id: number): void {
  change(id, ({ heldMs, ...row }) => {
    if (heldMs === undefined) return row;
    const until = Math.min(Date.now() + heldMs, endOf(row));
    expireAt(id, until);
    return { ...row, until };
  });
}

export function clearUndo(): void {
  for (const { id } of rows.read()) take(id);
}

export const readUndoRows = rows.read;

export const useUndoRows = (): readonly UndoRow[] => useStore(rows);
