/**
 * Position of the strip of provider names: it drifts to the left endlessly, and rests while it is held and shortly
 * after.
 */

export const stripTimes = { restMs: 500, pixelsPerSecond: 24 } as const;

/** Number of copies of the names in the strip, so that the widest window never shows its end. */
export const STRIP_COPIES = 3;

/**
 * The position from 0 to `-width` at which the strip looks the same.
 * @param width of one copy of the names, in pixels; 0 while it is unknown
 */
export function wrapped(x: number, width: number): number {
  if (width <= 0) return 0;
  const rest = x % width;
  return rest > 0 ? rest - width : rest + 0;
}

export interface StripState {
  x: number;
  /** Time before which the strip does not drift, in milliseconds of `performance.now()`; Infinity while it is held. */
  restsUntil: number;
}

/**
 * Moves the strip by one frame.
 * @param step data of the frame: `now`, `elapsedMs` since the frame before, and `width` of one copy of the strip
 * @returns the strip's new `x`
 */
export function drifted(
  { x, restsUntil }: StripState,
  step: { now: number; elapsedMs: number; width: number },
): number {
  if (step.now < restsUntil) return x;
  return wrapped(x - (stripTimes.pixelsPerSecond * step.elapsedMs) / 1000, step.width);
}
