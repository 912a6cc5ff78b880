/**
 * Tracks enqueued messages independently of the page, so that leaving /compose changes nothing: polls each job every 2
 * s and shows toasts about it. Stops at a final state, when a poll fails, and when the user who sent the message has
 * signed out.
 */
import type { CreatedEmailJob, EmailJobStatusWire } from "@kauke/contract";
import { messageOf } from "../../api/api-error.ts";
import { cancelJob } from "../../api/email-jobs.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

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

/** Decides which toast a polled job status shows (specification sections 4 and 8). Pure. */
export type Progress = Pick<EmailJobStatusWire, "currentRetries" | "maxRetries" | "lastError"> & {
  /** A server newer than this page may send a status the page does not know; such a job counts as waiting. */
  status: string;
};

interface JobToast {
  title: string;
  description: string;
  variant: "good" | "info" | "bad";
}

interface Step {
  /** Whether the job has reached a final state. */
  isOver: boolean;
  toast: JobToast | null;
}

const waiting: Step = { isOver: false, toast: null };

/** @param retriesShown number of retries that the last toast about the job named; 0 at first */
export function nextStep(progress: Progress, { to, retriesShown }: { to: string; retriesShown: number }): Step {
  switch (progress.status) {
    case "sent":
      return { isOver: true, toast: { title: "Email sent", description: `To ${to}`, variant: "good" } };
    case "failed":
      return { isOver: true, toast: failedToast(progress) };
    case "cancelled":
      return { isOver: true, toast: null };
    default:
      return progress.currentRetries > retriesShown ? { isOver: false, toast: retryToast(progress) } : waiting;
  }
}

function failedToast(progress: Progress): JobToast {
  const description = `Retries: ${usedOfMax(progress)}. ${errorOf(progress)}`;
  return { title: "Email failed to send", description, variant: "bad" };
}

function retryToast(progress: Progress): JobToast {
  const description = `Retry ${usedOfMax(progress)}. Previous error: ${errorOf(progress)}`;
  return { title: "Email retry in progress", description, variant: "info" };
}

const usedOfMax = ({ currentRetries, maxRetries }: Progress): string => `${currentRetries}/${maxRetries}`;
const errorOf = ({ lastError }: Progress): string => lastError ?? "Unknown error";
