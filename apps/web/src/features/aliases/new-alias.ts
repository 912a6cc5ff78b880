/** Id of the alias that was just created; its row in the list is highlighted for three seconds. */
import { useSyncExternalStore } from "react";

const MARKED_MS = 3000;

let marked: string | null = null;
let removal: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(aliasId: string | null): void {
  marked = aliasId;
  for (const listener of listeners) listener();
}

export function markNewAlias(aliasId: string): void {
  clearTimeout(removal);
  set(aliasId);
  removal = setTimeout(() => set(null), MARKED_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useIsNewAlias(aliasId: string): boolean {
  return useSyncExternalStore(
    subscribe,
    () => marked === aliasId,
    () => false,
  );
}
