/** Polls an enqueued message every 2 s, on any page, until a final state, a failed poll, or another user. */
import type { CreatedEmailJob, EmailJobStatusWire } from "@kauke/contract";
import { messageOf } from "../../api/error-text.ts";
import { onUserChange } from "../../api/session/session.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
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
  reopen(jobId: string): Promise<unknown>;
  /** Called when the message has reached a final state. */
  onEnd(jobId: string, status: string): void;
  /** Asked before each step, since the session that sent the message may be over. */
  isStillSignedIn(): boolean;
}

/** Functions that end the tracking, by job id. */
const stops = new Map<string, () => void>();
/** The last known state of each job that this tab has tracked. */
const progress = makeStore<Readonly<Record<string, Progress>>>({});

export const useJobProgress = (): Readonly<Record<string, Progress>> => useStore(progress);

onUserChange(() => {
  for (const stop of stops.values()) stop();
  progress.set({});
});

const note = (jobId: string, known: Progress): void => progress.set({ ...progress.read(), [jobId]: known });

export function followJob(job: Omit<CreatedEmailJob, "status">, to: string, calls: JobCalls): void {
  const { jobId, canUndo, undoSeconds } = job;
  showToast({
    title: t("Email queued"),
    description: t("To {recipients}", { recipients: to }),
    variant: "info",
    icon: "clock",
    ...(canUndo ? undoAction(jobId, undoSeconds, calls) : {}),
  });
  trackJob(jobId, to, calls);
}

function undoAction(jobId: string, undoSeconds: number, calls: JobCalls) {
  return {
    visibleMs: Math.max((undoSeconds - GRACE_SECONDS) * 1000, SHORTEST_TOAST_MS),
    action: { label: t("Undo"), spoken: t("Undo sending the e-mail"), onAct: () => void undoJob(jobId, calls) },
  };
}

export async function undoJob(jobId: string, calls: JobCalls): Promise<void> {
  try {
    await calls.cancel(jobId);
    stops.get(jobId)?.();
    if (calls.isStillSignedIn()) await calls.reopen(jobId);
    showToast({
      title: t("Email sending cancelled"),
      description: t("Your email has been successfully cancelled and will not be sent."),
    });
  } catch (error) {
    showFailure(t("Unable to cancel email"), messageOf(error, t("The email may have already been sent.")));
  }
}

/** Tracks a job unless it is tracked already, e.g. one that was enqueued before a reload. */
export function trackJob(jobId: string, to: string, calls: JobCalls): void {
  if (stops.has(jobId)) return;
  let retriesShown = 0;
  let timer = setTimeout(poll, POLL_EVERY_MS);
  const stop = () => {
    clearTimeout(timer);
    stops.delete(jobId);
  };
  const isTracked = () => stops.get(jobId) === stop;
  stops.set(jobId, stop);

  async function poll(): Promise<void> {
    if (!calls.isStillSignedIn()) return stop();
    const polled = await calls.readStatus(jobId).catch(() => null);
    if (!isTracked()) return;
    if (polled?.success !== true || !calls.isStillSignedIn()) return stop();
    const { isOver, toast } = nextStep(polled, { to, retriesShown });
    retriesShown = polled.currentRetries;
    note(jobId, polled);
    if (toast !== null) showToast(toast);
    if (isOver) {
      stop();
      calls.onEnd(jobId, polled.status);
    } else timer = setTimeout(poll, POLL_EVERY_MS);
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
      return {
        isOver: true,
        toast: { title: t("Email sent"), description: t("To {recipients}", { recipients: to }), variant: "good" },
      };
    case "failed":
      return { isOver: true, toast: failedToast(progress) };
    case "cancelled":
      return { isOver: true, toast: null };
    default:
      return progress.currentRetries > retriesShown ? { isOver: false, toast: retryToast(progress) } : waiting;
  }
}

function failedToast(progress: Progress): JobToast {
  const description = t("Retries: {retry}. {reason}", { retry: usedOfMax(progress), reason: errorOf(progress) });
  return { title: t("Email failed to send"), description, variant: "bad" };
}

function retryToast(progress: Progress): JobToast {
  const description = t("Retry {retry}. Previous error: {reason}", {
    retry: usedOfMax(progress),
    reason: errorOf(progress),
  });
  return { title: t("Email retry in progress"), description, variant: "info" };
}

const usedOfMax = ({ currentRetries, maxRetries }: Progress): string => `${currentRetries}/${maxRetries}`;
const errorOf = ({ lastError }: Progress): string => (lastError === null ? t("Unknown error") : said(lastError));
