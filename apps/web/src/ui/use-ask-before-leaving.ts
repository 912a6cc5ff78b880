/** A typed secret is stored nowhere, so a reload or another site asks before it is lost. */
import { type RefObject, useEffect } from "react";

/** Reads the inputs: passwords are not in state. */
export function holdsSecret(part: HTMLElement | null): boolean {
  const secrets = part?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "textarea, input[type=password], input[autocomplete$=password]",
  );
  return [...(secrets ?? [])].some(({ value }) => value !== "");
}

/** @param isNeeded whether the part asks at all */
export function useAskBeforeLeaving(part: RefObject<HTMLElement | null>, isNeeded = true): void {
  useEffect(() => {
    if (!isNeeded) return;
    const onLeave = (event: BeforeUnloadEvent) => holdsSecret(part.current) && event.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [part, isNeeded]);
}
