/** Texts for the list of waiting messages, and how often the list is polled. Pure. */
import type { WaitingEmailJob } from "@kauke/contract";
import { timeText } from "../../ui/text/time-text.ts";

type Waiting = Pick<WaitingEmailJob, "status" | "scheduledAt" | "currentRetries" | "maxRetries">;

/** A message that is due within this time is "soon": the list is polled more often then. */
const SOON_MS = 60_000;
const SOON_POLL_MS = 3000;
const LATE_POLL_MS = 60_000;

/** When a waiting message will be sent, e.g. `Leaves at 14:30` or `Retry 1/3 at 14:30`. */
export function waitingText({ status, scheduledAt, currentRetries, maxRetries }: Waiting, now: Date): string {
  if (status === "sending") return "Being sent";
  const isSoon = Date.parse(scheduledAt) - now.getTime() < SOON_MS;
  const when = isSoon ? "in a moment" : `at ${timeText(scheduledAt, now)}`;
  return currentRetries > 0 ? `Retry ${currentRetries}/${maxRetries} ${when}` : `Leaves ${when}`;
}

/** Milliseconds until the next poll of the list; `false` if no message is waiting. */
export function pollDelayMs(jobs: readonly Waiting[], now: Date): number | false {
  if (jobs.length === 0) return false;
  const isAnySoon = jobs.some(
    (job) => job.status === "sending" || Date.parse(job.scheduledAt) - now.getTime() < SOON_MS,
  );
  return isAnySoon ? SOON_POLL_MS : LATE_POLL_MS;
}
