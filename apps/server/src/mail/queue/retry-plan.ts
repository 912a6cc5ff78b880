/** When a deferred delivery is tried again: the waits of `KAUKE_RETRY_SCHEDULE`, one after another, with jitter. */
import { nextAttemptAt, scheduleSeconds } from "@kauke/mail-rfc";

export interface RetryPlan {
  /** From the first attempt to the last, in seconds, without jitter. */
  totalSeconds: number;
  /**
   * @param attempts made so far @param maxRetries composed mail: only so many steps of the schedule
   * @returns `null` when the schedule is used up
   */
  next(delivery: { attempts: number; maxRetries?: number }): Date | null;
}

/** @param schedule seconds @param random from 0 up to 1 */
export function retryPlan(schedule: readonly number[], now: () => Date, random: () => number): RetryPlan {
  return {
    totalSeconds: scheduleSeconds(schedule),
    next: ({ attempts, maxRetries }) =>
      nextAttemptAt({ schedule: schedule.slice(0, maxRetries), attempts, after: now(), random }),
  };
}
