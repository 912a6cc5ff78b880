/** The name that the command palette passes to the form for a new alias. */
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

let wanted: string | null = null;
const listeners = new Set<() => void>();

function set(name: string | null): void {
  wanted = name;
  for (const listener of listeners) listener();
}

/** Puts a name into the form for a new alias, now or when the form is next shown. */
export const askForName = (name: string): void => set(name);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const RETRY_MS = 20;

/**
 * Receives the name that the command palette asked for.
 * @param take puts the name, which may be empty, into the form and focuses the name field
 */
export function useWantedName(take: (name: string) => void): void {
  const name = useSyncExternalStore(
    subscribe,
    () => wanted,
    () => null,
  );
  const onName = useEffectEvent(take);
  useEffect(() => {
    if (name === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Waits until dialogs have closed and returned the focus: an element under an open dialog can't have it
    const giveLater = () => {
      timer = setTimeout(() => {
        if (document.querySelector(".shell[inert]") !== null) return giveLater();
        set(null);
        onName(name);
      }, RETRY_MS);
    };
    giveLater();
    return () => clearTimeout(timer);
  }, [name]);
}
