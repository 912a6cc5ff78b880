/** Rotates the domains by a timer, unless there is only one or motion is paused. */
import { useEffect, useState } from "react";
import { firstDomain, rotationTimes, turn } from "./rotation.ts";

export interface ShownDomain {
  domain: string;
  isFading: boolean;
}

/** @param domains in the order to show them; at least one */
export function useRotation(domains: readonly string[], isPaused: boolean): ShownDomain {
  const [rotation, setRotation] = useState(firstDomain);
  const count = domains.length;
  useEffect(() => {
    if (isPaused || count < 2) return;
    let fade: ReturnType<typeof setTimeout> | undefined;
    const beat = setInterval(() => {
      setRotation((before) => turn(before, "fade", count));
      fade = setTimeout(() => setRotation((before) => turn(before, "change", count)), rotationTimes.fadeMs);
    }, rotationTimes.everyMs);
    return () => {
      clearInterval(beat);
      clearTimeout(fade);
      setRotation((before) => ({ ...before, isFading: false }));
    };
  }, [isPaused, count]);
  return { domain: domains[rotation.index] ?? domains[0] ?? "", isFading: rotation.isFading };
}
