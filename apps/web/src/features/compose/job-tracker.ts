/**
 * Tracks enqueued messages independently of the page, so that leaving /compose changes nothing: polls each job every 2
 * s and shows toasts about it. Stops at a final state, when a poll fails, and when the user who sent the message has
 * signed out.
 */
import type { CreatedEmailJob } from "@kauke/contract";
import { messageOf } from "../../api/api-error.ts";
import { cancelJob } from "../../api/email-jobs.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { nextStep, type Progress } from "./job-progress.ts";

export const POLL_EVERY_MS = 2000;
/** Seconds by which the toast with Undo disappears before the undo period ends. */
const GRACE_SECONDS = 1;
const SHORTEST_TOAST_MS = 1000;

/** Response to a status poll. Tracking ends if `success` isn't true, whatever the other fields say (specification). */
export type JobAnswer = Progress & { success: boolean };

export interface JobCalls {
  readStatus(jobId: string): Promise<JobAnswer>;
  cancel(jobId: string): Promise<unknown>;
  /** Puts the message back into the form, once it is certain that the message is not sent. */
  reopen(): void;
  /** Whether the user who sent the message is still signed in. */
  isStillSignedIn(): boolean;
}

/** Functions that end the tracking of a job, by job id. */
const stops = new Map<string, () => void>();
/** Jobs enqueued in this tab, by id; undoing one of them restores its text. */
const followed = new Map<string, JobCalls>();

/** Shows that the message is enqueued, offers to undo it, and tracks it until a final state. */
export function followJob({ jobId, canUndo, undoSeconds }: CreatedEmailJob, to: string, calls: JobCalls): void {
  showToast({
    title: "Email queued",
    description: `To ${to}`,
    variant: "info",
    icon: "clock",
    ...(canUndo ? undoAction(jobId, undoSeconds, calls) : {}),
  });
  track(jobId, to, calls);
}

function undoAction(jobId: string, undoSeconds: number, calls: JobCalls) {
  return {
    visibleMs: Math.max((undoSeconds - GRACE_SECONDS) * 1000, SHORTEST_TOAST_MS),
    action: { label: "Undo", spoken: "Undo sending the e-mail", onAct: () => void undoJob(jobId, calls) },
  };
}

/**
 * Cancels a job and shows the result in a toast. The text of a message that was enqueued by another tab, or before a
 * reload, is not restored into the form.
 */
export async function undoJob(jobId: string, calls: JobCalls | undefined = followed.get(jobId)): Promise<void> {
  try {
    await (calls?.cancel ?? cancelJob)(jobId);
    stops.get(jobId)?.();
    if (calls?.isStillSignedIn()) calls.reopen();
    showToast({
      title: "Email sending cancelled",
      description: "Your email has been successfully cancelled and will not be sent.",
    });
  } catch (error) {
    showFailure("Unable to cancel email", messageOf(error, "The email may have already been sent."));
  }
}

function track(jobId: string, to: string, calls: JobCalls): void {
  let retriesShown = 0;
  let timer = setTimeout(poll, POLL_EVERY_MS);
  const stop = () => {
    clearTimeout(timer);
    stops.delete(jobId);
    followed.delete(jobId);
  };
  followed.set(jobId, calls);
  const isTracked = () => stops.get(jobId) === stop;
  stops.set(jobId, stop);

  async function poll(): Promise<void> {
    if (!calls.isStillSignedIn()) return stop();
    const progress = await calls.readStatus(jobId).catch(() => null);
    if (!isTracked()) return;
    if (progress?.success !== true || !calls.isStillSignedIn()) return stop();
    const { isOver, toast } = nextStep(progress, { to, retriesShown });
    retriesShown = progress.currentRetries;
    if (toast !== null) showToast(toast);
    if (isOver) stop();
    else timer = setTimeout(poll, POLL_EVERY_MS);
  }
}
