/** Decides which toast a polled job status shows (specification sections 4 and 8). Pure. */
import type { EmailJobStatusWire } from "@kauke/contract";

export type Progress = Pick<EmailJobStatusWire, "currentRetries" | "maxRetries" | "lastError"> & {
  /** A server newer than this page may send a status the page does not know; such a job counts as waiting. */
  status: string;
};

export interface JobToast {
  title: string;
  description: string;
  variant: "good" | "info" | "bad";
}

export interface Step {
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
