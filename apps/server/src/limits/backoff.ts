/**
 * Halves a party's concurrent attempts at a destination that was slow or busy for it; each success undoes one step.
 * Other parties are not slowed down, because the reply may concern only that party's mail.
 */

import { composedRetrySchedule, defaultRetrySchedule, nextAttemptAt, scheduleSeconds } from "@kauke/mail-rfc";
import { BoundedMap } from "../runtime/maps.ts";
import { bounds } from "./table.ts";

/** Maximum concurrent attempts after one, two, three and more events. */
const ATTEMPTS_AT_ONCE = [4, 2, 1] as const;

interface BackoffRule {
  /** Pause in milliseconds after the first event, doubled with each further one up to `pauseMaxMs`. */
  pauseMs: number;
  pauseMaxMs: number;
  /** Maximum steps: so many successes lift the limit. */
  levelMax: number;
}

const { pauseMs, pauseMaxMs, forgetMs, known } = bounds.busyDestinations;

export const slowRule: BackoffRule = { pauseMs: 0, pauseMaxMs: 0, levelMax: 3 };
export const busyRule: BackoffRule = { pauseMs, pauseMaxMs, levelMax: 10 };

export class Backoff {
  readonly #rule: BackoffRule;
  readonly #entries = new BoundedMap<string, { level: number; pausedUntil: number }>(known);

  constructor(rule: BackoffRule) {
    this.#rule = rule;
  }

  /** @returns maximum concurrent attempts: 0 during a pause, infinity without events */
  limitOf(key: string, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return Number.POSITIVE_INFINITY;
    if (nowMs < entry.pausedUntil) return 0;
    if (nowMs - entry.pausedUntil <= forgetMs) return ATTEMPTS_AT_ONCE[entry.level - 1] ?? 1;
    this.#entries.delete(key);
    return Number.POSITIVE_INFINITY;
  }

  pauseLeftMs(key: string, nowMs: number): number {
    return Math.max(0, (this.#entries.get(key)?.pausedUntil ?? 0) - nowMs);
  }

  /** Ignores events during a pause, which come from attempts that ran when it began. */
  note(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && nowMs < entry.pausedUntil) return;
    const level = Math.min((entry?.level ?? 0) + 1, this.#rule.levelMax);
    const pause = Math.min(this.#rule.pauseMs * 2 ** (level - 1), this.#rule.pauseMaxMs);
    this.#entries.set(key, { level, pausedUntil: nowMs + pause });
  }

  noteSuccess(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && --entry.level === 0) this.#entries.delete(key);
  }
}

interface RetryLineRule {
  /** Milliseconds until a key's first retry. */
  firstMs: number;
  /** Milliseconds between two retries of a key. */
  spacingMs: number;
  maxMs: number;
}

/** Retry times of mail that a share has no room for, spaced per key. */
export class RetryLine {
  readonly #rule: RetryLineRule;
  readonly #lastAt: BoundedMap<string, number>;

  constructor(rule: RetryLineRule, capacity: number) {
    this.#rule = rule;
    this.#lastAt = new BoundedMap(capacity);
  }

  next(key: string, nowMs: number): number {
    const { firstMs, spacingMs, maxMs } = this.#rule;
    const at = Math.min(Math.max(nowMs + firstMs, (this.#lastAt.get(key) ?? 0) + spacingMs), nowMs + maxMs);
    this.#lastAt.set(key, at);
    return at;
  }

  isWaiting(key: string, nowMs: number): boolean {
    return (this.#lastAt.get(key) ?? 0) > nowMs;
  }

  end(key: string): void {
    this.#lastAt.delete(key);
  }
}

/** Retry times by `KAUKE_RETRY_SCHEDULE`, with jitter; composed mail has fewer and longer intervals by default. */
export interface RetryPlan {
  /** Seconds from the first attempt to the last, without jitter. */
  totalSeconds: number;
  /** @param delivery `maxRetries`: for composed mail only @returns `null` when the schedule is used up */
  next(delivery: { attempts: number; maxRetries?: number }): Date | null;
}

export function retryPlan(schedule: readonly number[], now: () => Date, random: () => number): RetryPlan {
  const composed = schedule === defaultRetrySchedule ? composedRetrySchedule : schedule;
  return {
    totalSeconds: scheduleSeconds(schedule),
    next: ({ attempts, maxRetries }) =>
      nextAttemptAt({
        schedule: maxRetries === undefined ? schedule : composed.slice(0, maxRetries),
        attempts,
        after: now(),
        random,
      }),
  };
}
