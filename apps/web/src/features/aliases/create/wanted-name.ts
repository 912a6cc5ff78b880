/** The name that the command palette wants the form for a new alias to begin with. */
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

let wanted: string | null = null;
const listeners = new Set<() => void>();

function set(name: string | null): void {
  wanted = name;
  for (const listener of listeners) listener();
}

/** Has the form take the name, now or when it is next shown. */
export const askForName = (name: string): void => set(name);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const RETRY_MS = 20;

/** @param take puts the name, which may be empty, into the form and the focus on it */
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
    // Once dialogs have closed and returned the focus, and the page has taken it: nothing under a dialog can have it
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
