/** Which of the domains the hero shows, and how it goes on to the next: fade out, change, fade in. */

export const rotationTimes = { everyMs: 3000, fadeMs: 300 } as const;

export interface Rotation {
  index: number;
  isFading: boolean;
}

export const firstDomain: Rotation = { index: 0, isFading: false };

/** @param count of the domains; a list that has become shorter starts again */
export function turn(rotation: Rotation, step: "fade" | "change", count: number): Rotation {
  if (step === "fade") return { ...rotation, isFading: true };
  return { index: count === 0 ? 0 : (rotation.index + 1) % count, isFading: false };
}
