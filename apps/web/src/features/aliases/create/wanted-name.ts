/** The name that the command palette passes to the form for a new alias. */
import { useEffect, useEffectEvent } from "react";
import { makeStore, useStore } from "../../../ui/store.ts";

const wanted = makeStore<string | null>(null);

/** Puts a name into the form for a new alias, now or when the form is next shown. */
export const askForName = (name: string): void => wanted.set(name);

const RETRY_MS = 20;

/**
 * Receives the name that the command palette asked for.
 * @param take puts the name, which may be empty, into the form and focuses the name field
 */
export function useWantedName(take: (name: string) => void): void {
  const name = useStore(wanted);
  const onName = useEffectEvent(take);
  useEffect(() => {
    if (name === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Waits until dialogs have closed and returned the focus: an element under an open dialog can't have it
    const giveLater = () => {
      timer = setTimeout(() => {
        if (document.querySelector(".shell[inert]") !== null) return giveLater();
        wanted.set(null);
        onName(name);
      }, RETRY_MS);
    };
    giveLater();
    return () => clearTimeout(timer);
  }, [name]);
}
