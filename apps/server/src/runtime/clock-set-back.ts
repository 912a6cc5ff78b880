/**
 * Detects stored times that lie in the future because the system clock was set back. Such a time must neither delay
 * work nor keep a count alive until the clock has caught up with it.
 */

/** Tolerated difference between the clocks of several processes. */
const SKEW_MS = 5 * 60_000;

/**
 * The latest time that a stored row can have; a later time means that the clock was set back after the row was written.
 */
export function latestKnown(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS);
}

export function isFromFuture(at: Date, now: Date): boolean {
  return at > latestKnown(now);
}
