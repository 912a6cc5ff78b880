import { useEffect, useState } from "react";

export interface ShownDomain {
  domain: string;
  isFading: boolean;
}

/** @param domains at least one */
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

/** The shown domain fades out, changes and fades in. */
export const rotationTimes = { everyMs: 3000, fadeMs: 300 } as const;

export interface Rotation {
  index: number;
  isFading: boolean;
}

export const firstDomain: Rotation = { index: 0, isFading: false };

/** The index wraps around, also after the list has become shorter. */
export function turn(rotation: Rotation, step: "fade" | "change", count: number): Rotation {
  if (step === "fade") return { ...rotation, isFading: true };
  return { index: count === 0 ? 0 : (rotation.index + 1) % count, isFading: false };
}
