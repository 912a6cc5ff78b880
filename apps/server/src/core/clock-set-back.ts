/**
 * What is stored carries the time of day, and somebody may set the clock back: then it comes from the future. Nothing that waits for such
 * a time may wait until the clock has caught up, and nothing that counts for a time may count until then.
 */

/** By which the clocks of several processes may differ. */
const SKEW_MS = 5 * 60_000;

/** The latest time that a row can carry unless the clock was set back since. */
export function latestKnown(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS);
}

export function isFromFuture(at: Date, now: Date): boolean {
  return at > latestKnown(now);
}
