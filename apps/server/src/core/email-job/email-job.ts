/** Record of a composed message; changes only in the same commit as its delivery. */
import { type EmailJobStatus, emailJobMessages, emailJobStatuses } from "@kauke/contract";
import { AppError, notFound } from "../app-error.ts";
import {
  type DeliveryFailure,
  type FailureCode,
  failureText,
  type MessageToEnqueue,
  type OpenDelivery,
} from "../delivery/delivery.ts";

export interface EmailJob {
  id: string;
  userId: string;
  aliasId: string | null;
  useEncryption: boolean;
  status: EmailJobStatus;
  priority: number;
  maxRetries: number;
  currentRetries: number;
  /** Time of the first delivery attempt, not before the time to cancel is over. */
  scheduledAt: Date;
  processedAt: Date | null;
  cancelledAt: Date | null;
  lastFailure: DeliveryFailure | null;
  messageId: string;
  createdAt: Date;
}

/** Sealed, and erased once the message is sent, failed or cancelled. */
export interface EmailJobContent {
  recipient: string;
  subject: string;
}

export interface EmailJobToQueue {
  job: EmailJob;
  content: EmailJobContent;
  message: MessageToEnqueue;
  delivery: OpenDelivery;
}

export interface WaitingJob {
  job: EmailJob;
  nextAttemptAt: Date;
  content: EmailJobContent;
}

export interface EmailJobStore {
  /** Record, message and delivery in one commit. @throws AppError `invalid` if the alias can't send, `spool_failed` */
  queue(input: EmailJobToQueue): Promise<void>;
  find(userId: string, jobId: string): Promise<EmailJob | null>;
  listWaiting(userId: string, max: number): Promise<WaitingJob[]>;
  /** Does nothing once a worker is sending the message. @returns whether it is cancelled; `null` for another user's */
  cancel(userId: string, jobId: string): Promise<boolean | null>;
  deleteEndedBefore(endedBefore: Date): Promise<number>;
}

/** `claim`: an attempt starts, also after a worker crashed while sending. `cancel`: only while no worker sends it. */
export const jobEvents = ["claim", "retry", "deliver", "fail", "cancel"] as const;
export type JobEvent = (typeof jobEvents)[number];

/** The store's statements check each transition by `statesBefore`. */
const transitions: Record<EmailJobStatus, Partial<Record<JobEvent, EmailJobStatus>>> = {
  pending: { claim: "sending", cancel: "cancelled" },
  sending: { claim: "sending", retry: "pending", deliver: "sent", fail: "failed" },
  sent: {},
  failed: {},
  cancelled: {},
};

export function nextStatus(status: EmailJobStatus, event: JobEvent): EmailJobStatus | null {
  return transitions[status][event] ?? null;
}

export function statesBefore(event: JobEvent): EmailJobStatus[] {
  return emailJobStatuses.filter((status) => nextStatus(status, event) !== null);
}

export function isEnd(status: EmailJobStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}

const JOB_NOT_FOUND = "Email job not found";

export async function getEmailJob(
  { emailJobs }: { emailJobs: EmailJobStore },
  { userId, jobId }: { userId: string; jobId: string },
): Promise<EmailJob> {
  const job = await emailJobs.find(userId, jobId);
  if (job === null) throw notFound(JOB_NOT_FOUND);
  return job;
}

/** Why the message failed, in our own words, without the peer's reply text. */
export function lastErrorOf({ lastFailure }: Pick<EmailJob, "lastFailure">): string | null {
  if (lastFailure === null || lastFailure.code === "at_provider") return null;
  const { code } = lastFailure;
  return `${beginningOf(code)}: ${failureText[code]}.`;
}

function beginningOf(code: FailureCode): string {
  if (code === "provider_silent") return "It may have been sent or not";
  return code.startsWith("provider_") ? "It was not sent" : "The recipient's address did not take it";
}

/** Idempotent. Once it returns, no process sends the message. @throws AppError `not_found`, `too_late` */
export async function cancelEmailJob(
  { emailJobs }: { emailJobs: EmailJobStore },
  { userId, jobId }: { userId: string; jobId: string },
): Promise<void> {
  const cancelled = await emailJobs.cancel(userId, jobId);
  if (cancelled === null) throw notFound(JOB_NOT_FOUND);
  if (!cancelled) throw new AppError("too_late", { message: emailJobMessages.tooLate });
}
