/**
 * Retry times of a deferred delivery: the intervals of `KAUKE_RETRY_SCHEDULE` in order, with jitter. Composed mail has
 * fewer retries, and longer intervals unless the operator has set the schedule.
 */
import { composedRetrySchedule, defaultRetrySchedule, nextAttemptAt, scheduleSeconds } from "@kauke/mail-rfc";

export interface RetryPlan {
  /** Seconds from the first attempt to the last, without jitter. */
  totalSeconds: number;
  /**
   * @param attempts attempts made so far
   * @param maxRetries number of intervals that composed mail may use; absent for other mail, which may use all
   * @returns time of the next attempt; `null` when the schedule is used up
   */
  next(delivery: { attempts: number; maxRetries?: number }): Date | null;
}

/**
 * @param schedule intervals in seconds
 * @param random returns a number from 0 up to, but not including, 1
 */
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
