/** Record of a composed message for its owner; changes only in the same commit as its delivery. */
import { type EmailJobStatus, emailJobMessages, emailJobStatuses } from "@kauke/contract";
import { AppError, notFound } from "../app-error.ts";
import { type DeliveryFailure, failureText, type MessageToEnqueue, type OpenDelivery } from "../delivery/delivery.ts";

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

/** Content of a composed message: sealed, and erased once the message is sent, failed or cancelled. */
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
  /**
   * Inserts record, message and delivery in one commit.
   * @throws AppError `invalid` on `fromAliasId` when the alias was paused, renamed or deleted meanwhile or has no SMTP
   * credentials, `spool_failed` when the store cannot write
   */
  queue(input: EmailJobToQueue): Promise<void>;
  find(userId: string, jobId: string): Promise<EmailJob | null>;
  /** Jobs pending or being sent, newest first. */
  listWaiting(userId: string, max: number): Promise<WaitingJob[]>;
  /**
   * Removes delivery and body and marks the job as cancelled, in one guarded step across processes; does nothing once a
   * delivery worker is sending the message or may have sent it.
   * @returns whether the job is cancelled, by this call or an earlier one; `null` when it does not belong to this user
   */
  cancel(userId: string, jobId: string): Promise<boolean | null>;
  deleteEndedBefore(endedBefore: Date): Promise<number>;
}

/**
 * `claim`: a delivery worker starts an attempt, possible again from `sending` after a worker crashed. `retry`: the
 * attempt failed temporarily. `deliver`, `fail`: the message was sent, or failed permanently. `cancel`: by the owner,
 * or its alias was paused, renamed or deleted; only while no worker is sending it.
 */
export const jobEvents = ["claim", "retry", "deliver", "fail", "cancel"] as const;
export type JobEvent = (typeof jobEvents)[number];

/** The store's statements check each transition by `statesBefore`, so that no other can happen. */
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

/** Why the message failed, in our own words; never a peer's reply text. */
export function lastErrorOf({ lastFailure }: EmailJob): string | null {
  return lastFailure === null ? null : `The recipient's address did not take it: ${failureText[lastFailure.code]}.`;
}

/** Once this returns, no process sends the message; repeatable. @throws AppError `not_found`, `too_late` */
export async function cancelEmailJob(
  { emailJobs }: { emailJobs: EmailJobStore },
  { userId, jobId }: { userId: string; jobId: string },
): Promise<void> {
  const cancelled = await emailJobs.cancel(userId, jobId);
  if (cancelled === null) throw notFound(JOB_NOT_FOUND);
  if (!cancelled) throw new AppError("too_late", { message: emailJobMessages.tooLate });
}
