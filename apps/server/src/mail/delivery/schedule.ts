/** Retry times from `KAUKE_RETRY_SCHEDULE` with jitter; composed mail has fewer, and longer ones by default. */
import { composedRetrySchedule, defaultRetrySchedule, nextAttemptAt, scheduleSeconds } from "@kauke/mail-rfc";

export interface RetryPlan {
  /** Seconds from the first attempt to the last, without jitter. */
  totalSeconds: number;
  /**
   * @param maxRetries intervals that composed mail may use; absent for other mail, which may use all
   * @returns `null` when the schedule is used up
   */
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
