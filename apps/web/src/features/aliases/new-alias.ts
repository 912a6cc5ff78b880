/** The row of a new alias is highlighted for three seconds. */
import { useSyncExternalStore } from "react";
import { makeStore } from "../../ui/store.ts";

const MARKED_MS = 3000;

const marked = makeStore<string | null>(null);
let removal: ReturnType<typeof setTimeout> | undefined;

export function markNewAlias(aliasId: string): void {
  clearTimeout(removal);
  marked.set(aliasId);
  removal = setTimeout(() => marked.set(null), MARKED_MS);
}

export function useIsNewAlias(aliasId: string): boolean {
  return useSyncExternalStore(
    marked.subscribe,
    () => marked.read() === aliasId,
    () => false,
  );
}
