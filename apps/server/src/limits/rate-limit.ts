/** Port for counting requests by subject and action in time windows, in the specification's `rate_limit` table. */

export interface RateLimitRule {
  /** Name of the limit, e.g. `alias_create`; closed set in `rate-limit-rules.ts`. */
  action: string;
  max: number;
  windowSeconds: number;
}

/** Limit that allows some attempts freely and then requires growing waits: each wait is twice the previous one. */
export interface SpacedLimitRule {
  action: string;
  free: number;
  /** Seconds to wait after the last free attempt; each later wait is twice the one before. Default 1. */
  firstWaitSeconds?: number;
  longestWaitSeconds: number;
  /** Seconds without an allowed attempt after which the count starts again at zero. */
  forgetSeconds: number;
}

export interface RateLimitSubject {
  userId?: string;
  /** Client's IP address; stored only as a keyed hash. */
  ipAddress?: string;
  /** Any other subject, e.g. the e-mail of a sign-in; stored only as a keyed hash. */
  key?: string;
}

export interface RateLimitResult {
  allowed: boolean;
  /** Requests of the subject in this window, including this one. */
  count: number;
  /** Time at which the window ends; for a limit with growing waits, when the next attempt is allowed. */
  resetAt: Date;
}

export interface RateLimitStore {
  /**
   * Counts one request in one statement, exactly even across processes. A refused request counts too.
   * @returns whether the request is within the limit
   */
  take(rule: RateLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /**
   * Counts a request as `weight` ordinary ones if all of them are within the limit, otherwise not at all. One statement,
   * exact across processes.
   */
  takeAll(rule: RateLimitRule, subject: RateLimitSubject, now: Date, weight: number): Promise<RateLimitResult>;
  /**
   * Allows an attempt if it is one of the first `free`, or if `firstWaitSeconds * 2^(count - free)` seconds (at most
   * `longestWaitSeconds`) have passed since the last allowed one; `count` is the number allowed so far, and column
   * `last_action` the time of the last. A refused attempt changes nothing, so an attacker's attempts lock nobody out
   * for longer than the wait. One statement, exact across processes: `INSERT … ON CONFLICT DO UPDATE … WHERE
   * last_action + wait <= now RETURNING`; no row means refused.
   * @returns `resetAt`: when the next attempt is allowed
   */
  takeSpaced(rule: SpacedLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /**
   * Subtracts from the subject's count, for a request that turned out not to concern the limit.
   * @param weight number of requests that it was counted as; default 1
   */
  giveBack(action: string, subject: RateLimitSubject, weight?: number): Promise<void>;
  /** Deletes a subject's count, e.g. after a successful sign-in. */
  clear(action: string, subject: RateLimitSubject): Promise<void>;
  deleteBefore(windowStart: Date): Promise<number>;
}
