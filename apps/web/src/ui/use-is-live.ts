/** False in a prerendered page until it is hydrated; controls that need script are disabled until then. */
import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

export function useIsLive(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
