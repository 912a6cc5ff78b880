/** Whether the server has answered 401 to a signed-in call: the dashboard then shows "Authentication Required" in place. */
import { useSyncExternalStore } from "react";

let lost = false;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (lost === value) return;
  lost = value;
  for (const listener of listeners) listener();
}

export const markSignedOut = (): void => set(true);
export const markSignedIn = (): void => set(false);

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
