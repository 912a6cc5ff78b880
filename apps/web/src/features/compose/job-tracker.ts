/** Polls an enqueued message every 2 s, on any page, until a final state, a failed poll, or another user. */
import type { CreatedEmailJob, EmailJobStatusWire } from "@kauke/contract";
import { messageOf } from "../../api/api-error.ts";
import { cancelJob } from "../../api/email-jobs.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

export const POLL_EVERY_MS = 2000;
/** The Undo toast disappears this much before the time to undo ends. */
const GRACE_SECONDS = 1;
const SHORTEST_TOAST_MS = 1000;

/** Any poll but `success: true` ends the tracking of the message (specification). */
export type PolledJob = Progress & { success: boolean };

export interface JobCalls {
  readStatus(jobId: string): Promise<PolledJob>;
  cancel(jobId: string): Promise<unknown>;
  /** Restores the text, only once the message is certain not to be sent. */
  reopen(): void;
  /** Asked before each step, since the session that sent the message may be over. */
  isStillSignedIn(): boolean;
}

/** Functions that end the tracking, by job id. */
const stops = new Map<string, () => void>();
/** Jobs enqueued by this tab, whose text returns when they are undone. */
const followed = new Map<string, JobCalls>();

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

/** Undoing a job returns its text only if this tab enqueued it, without a reload since. */
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

/** What the toasts show about a message (specification sections 4 and 8). */
export type Progress = Pick<EmailJobStatusWire, "currentRetries" | "maxRetries" | "lastError"> & {
  /** A status of a newer server that is unknown here counts as waiting. */
  status: string;
};

interface JobToast {
  title: string;
  description: string;
  variant: "good" | "info" | "bad";
}

interface Step {
  isOver: boolean;
  toast: JobToast | null;
}

const waiting: Step = { isOver: false, toast: null };

/** @param retriesShown in the last toast about the job; 0 at first */
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
