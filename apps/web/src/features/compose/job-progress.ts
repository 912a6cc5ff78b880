/** What a polled status says to the person who sent the message (specification sections 4 and 8). Pure. */
import type { EmailJobStatusWire } from "@kauke/contract";

export type Progress = Pick<EmailJobStatusWire, "currentRetries" | "maxRetries" | "lastError"> & {
  /** A newer server may know more states than this page: one that is not known here means waiting. */
  status: string;
};

export interface JobToast {
  title: string;
  description: string;
  variant: "good" | "info" | "bad";
}

export interface Step {
  /** Whether there is nothing more to wait for. */
  isOver: boolean;
  toast: JobToast | null;
}

const waiting: Step = { isOver: false, toast: null };

/** @param retriesTold the last number of retries the person was told of; 0 at first */
export function nextStep(progress: Progress, { to, retriesTold }: { to: string; retriesTold: number }): Step {
  switch (progress.status) {
    case "sent":
      return { isOver: true, toast: { title: "Email sent", description: `To ${to}`, variant: "good" } };
    case "failed":
      return { isOver: true, toast: failedToast(progress) };
    case "cancelled":
      return { isOver: true, toast: null };
    default:
      return progress.currentRetries > retriesTold ? { isOver: false, toast: retryToast(progress) } : waiting;
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
