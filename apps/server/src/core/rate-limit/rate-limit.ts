/** Counting windows by subject and action, in the specification's `rate_limit` table. */

export interface RateLimitRule {
  /** e.g. `alias_create`; closed set in `rate-limit-rules.ts`. */
  action: string;
  max: number;
  windowSeconds: number;
}

/** Tries that are free at first and then must lie further and further apart: each wait is twice the one before. */
export interface SpacedLimitRule {
  action: string;
  free: number;
  /** After the free tries; 1 if left out. */
  firstWaitSeconds?: number;
  longestWaitSeconds: number;
  /** A subject not let through for this long starts anew. */
  forgetSeconds: number;
}

export interface RateLimitSubject {
  userId?: string;
  /** Stored only as a keyed hash. */
  ipAddress?: string;
  /** Any other subject, e.g. the e-mail a login names; stored only as a keyed hash. */
  key?: string;
}

export interface RateLimitResult {
  allowed: boolean;
  /** Including this one. */
  count: number;
  /** When the window ends. */
  resetAt: Date;
}

export interface RateLimitStore {
  /** Counts one more and says whether it still fits; one statement, exact over several processes. */
  take(rule: RateLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /**
   * Lets a try through when it is one of the first `free`, or when `firstWaitSeconds * 2^(count - free)` seconds (at most
   * `longestWaitSeconds`) passed since the last one let through (`count` of them so far; column last_action). A refused try changes nothing, so
   * nobody is locked out by another's hammering for longer than the wait. One statement, exact over several processes:
   * `INSERT … ON CONFLICT DO UPDATE … WHERE last_action + wait <= now RETURNING`, no row meaning refused.
   * @returns `resetAt`: when the next try is let through
   */
  takeSpaced(rule: SpacedLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /** Counts one less: the try turned out to be none that the limit is about. */
  giveBack(action: string, subject: RateLimitSubject): Promise<void>;
  /** Forgets a subject's count, e.g. after a successful login. */
  clear(action: string, subject: RateLimitSubject): Promise<void>;
  deleteBefore(windowStart: Date): Promise<number>;
}
