/**
 * Whether the server has answered 401 to a signed-in call: the dashboard then shows "Authentication Required" in place.
 */
import { useSyncExternalStore } from "react";

let lost = false;
let kept = "";
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (lost === value) return;
  lost = value;
  for (const listener of listeners) listener();
}

export const markSignedOut = (): void => set(true);
export const markSignedIn = (): void => set(false);
export const isSessionLost = (): boolean => lost;

/** @param words text appended to the message about the lost session, e.g. that a draft is kept; "" for none */
export function keepAtLoss(words: string): void {
  kept = words;
}

export const keptAtLoss = (): string => kept;

export function useSessionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lost,
    () => false,
  );
}
