/**
 * Follows queued messages outside of any page, so that leaving /compose changes nothing: asks every 2 s how far each one is and
 * says what there is to say. Stops at an end, when asking fails, and when the person who sent it has signed out.
 */
import type { CreatedEmailJob } from "@kauke/contract";
import { messageOf } from "../../api/api-error.ts";
import { cancelJob } from "../../api/email-jobs.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { nextStep, type Progress } from "./job-progress.ts";

export const pollEveryMs = 2000;
/** The toast with Undo goes a second before the time for it does. */
const graceSeconds = 1;
const shortestToastMs = 1000;

/** The specification has tracking end when `success` isn't true, whatever else the answer says. */
export type JobAnswer = Progress & { success: boolean };

export interface JobCalls {
  readStatus(jobId: string): Promise<JobAnswer>;
  cancel(jobId: string): Promise<unknown>;
  /** Gives the message back to its writer, once it is certain that it is not sent. */
  reopen(): void;
  /** Whether the person who sent the message is still the one signed in. */
  isStillSignedIn(): boolean;
}

const stops = new Map<string, () => void>();
/** Of messages that were queued in this tab: their undo gives the text back. */
const followed = new Map<string, JobCalls>();

/** Says that the message is queued, offers to undo it, and follows it to its end. */
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
    visibleMs: Math.max((undoSeconds - graceSeconds) * 1000, shortestToastMs),
    action: { label: "Undo", spoken: "Undo sending the e-mail", onAct: () => void undoJob(jobId, calls) },
  };
}

/** Says how it went. A message that another tab has queued, or this one before a reload, is cancelled and not given back. */
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
  let retriesTold = 0;
  let timer = setTimeout(poll, pollEveryMs);
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
    const { isOver, toast } = nextStep(progress, { to, retriesTold });
    retriesTold = progress.currentRetries;
    if (toast !== null) showToast(toast);
    if (isOver) stop();
    else timer = setTimeout(poll, pollEveryMs);
  }
}
