/** The domain the hero shows, and the steps to the next one: fade out, change, fade in. */

export const rotationTimes = { everyMs: 3000, fadeMs: 300 } as const;

export interface Rotation {
  index: number;
  isFading: boolean;
}

export const firstDomain: Rotation = { index: 0, isFading: false };

/**
 * The rotation after one step.
 * @param count number of domains; the index wraps around, also after the list has become shorter
 */
export function turn(rotation: Rotation, step: "fade" | "change", count: number): Rotation {
  if (step === "fade") return { ...rotation, isFading: true };
  return { index: count === 0 ? 0 : (rotation.index + 1) % count, isFading: false };
}
