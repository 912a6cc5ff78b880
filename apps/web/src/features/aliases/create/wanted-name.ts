/** The alias name that the command palette passes on to the form. */
import { useEffect, useEffectEvent } from "react";
import { makeStore, useStore } from "../../../ui/store.ts";

const wanted = makeStore<string | null>(null);

/** Puts a name into the form: now, or when the form next shows. */
export const askForName = (name: string): void => wanted.set(name);

const RETRY_MS = 20;

/** @param take fills in the name, which may be empty, and focuses the field */
export function useWantedName(take: (name: string) => void): void {
  const name = useStore(wanted);
  const onName = useEffectEvent(take);
  useEffect(() => {
    if (name === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Waits until no dialog is open, under which nothing can have the focus.
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
