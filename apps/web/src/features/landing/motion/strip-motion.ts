/** Where the strip of names stands: it drifts to the left without end, rests while it is held and for a moment after. */

export const stripTimes = { restMs: 500, pixelsPerSecond: 24 } as const;

/** The strip holds the names this many times, so that the widest window never sees its end. */
export const stripCopies = 3;

/** The same picture, at most one copy to the left. @param width of one copy, in pixels */
export function wrapped(x: number, width: number): number {
  if (width <= 0) return 0;
  const rest = x % width;
  return rest > 0 ? rest - width : rest + 0;
}

export interface StripState {
  x: number;
  /** Not before this time does it drift, in milliseconds of `performance.now()`; Infinity while it is held. */
  restsUntil: number;
}

/** @param step since the last frame */
export function drifted(
  { x, restsUntil }: StripState,
  step: { now: number; elapsedMs: number; width: number },
): number {
  if (step.now < restsUntil) return x;
  return wrapped(x - (stripTimes.pixelsPerSecond * step.elapsedMs) / 1000, step.width);
}
