/** Record of a composed message; changes only in the same commit as its delivery. */
import { type EmailJobStatus, emailJobMessages, type RecipientKind } from "@kauke/contract";
import { AppError, notFound } from "../app-error.ts";
import {
  type DeliveryFailure,
  type FailureCode,
  failureText,
  type MessageToEnqueue,
  type OpenDelivery,
} from "../delivery/delivery.ts";

export interface JobRecipient {
  kind: RecipientKind;
  /** `null` once the job has ended: the server then forgets whom it was for. */
  address: string | null;
  state: EmailJobStatus;
  /** Why it failed, or why the last attempt did. */
  failure: DeliveryFailure | null;
}

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
  /** In the order of To, Cc, Bcc. */
  recipients: JobRecipient[];
  messageId: string;
  createdAt: Date;
  /** Digest of the request under an id that the client chose; `null` if the server chose it. */
  fingerprint: string | null;
}

export interface Recipient {
  kind: RecipientKind;
  address: string;
}

/** Sealed, and erased once the message is sent, failed or cancelled for every recipient. */
export interface EmailJobContent {
  recipients: Recipient[];
  subject: string;
}

export interface EmailJobToQueue {
  job: EmailJob;
  content: EmailJobContent;
  message: MessageToEnqueue;
  /** One for each recipient. */
  deliveries: [OpenDelivery, ...OpenDelivery[]];
}

export interface WaitingJob {
  job: EmailJob;
  nextAttemptAt: Date;
  content: EmailJobContent;
}

export interface EndedJob {
  job: EmailJob;
  endedAt: Date;
}

export interface EmailJobStore {
  /**
   * Record, message and delivery in one commit.
   * @throws AppError `invalid` if the alias can't send, `job_id_taken`, `spool_failed`
   */
  queue(input: EmailJobToQueue): Promise<void>;
  find(userId: string, jobId: string): Promise<EmailJob | null>;
  listWaiting(userId: string, max: number): Promise<WaitingJob[]>;
  /** Those that ended since then, the latest first. */
  listEnded(userId: string, since: Date, max: number): Promise<EndedJob[]>;
  /**
   * Does nothing once the message is or may be on its way to one of the recipients.
   * @returns whether it is cancelled; `null` for another user's
   */
  cancel(userId: string, jobId: string): Promise<boolean | null>;
  deleteEndedBefore(endedBefore: Date): Promise<number>;
}

export const isEnd = (status: EmailJobStatus): boolean => status !== "pending" && status !== "sending";

/**
 * The status of a message by those of its recipients. It is sent once all have ended and a host took it for at least
 * one: what became of the others stays with the recipients, and `lastErrorOf` says it.
 */
export function jobStatus(states: readonly EmailJobStatus[]): EmailJobStatus {
  const order = ["sending", "pending", "sent", "failed"] as const;
  return order.find((status) => states.includes(status)) ?? "cancelled";
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

/** Why a message failed for a recipient, in our own words, without the peer's reply text. */
export function recipientErrorOf({ failure }: Pick<JobRecipient, "failure">): string | null {
  if (failure === null || failure.code === "at_provider") return null;
  return `${beginningOf(failure.code)}: ${failureText[failure.code]}.`;
}

function beginningOf(code: FailureCode): string {
  if (code === "provider_silent") return "It may have been sent or not";
  return code.startsWith("provider_") ? "It was not sent" : "The recipient's address did not take it";
}

/** The recipient's error; of several recipients, how many have which, e.g. "For 1 of 3 recipients: …". */
export function lastErrorOf({ status, recipients }: Pick<EmailJob, "status" | "recipients">): string | null {
  const [only, ...others] = recipients;
  if (only === undefined || status === "cancelled") return null;
  if (others.length === 0) return recipientErrorOf(only);
  const errors = recipients.map((one) => (one.state === "cancelled" ? NOT_SENT : recipientErrorOf(one)));
  const counted = Map.groupBy(
    errors.filter((error) => error !== null),
    (error) => error,
  );
  const sentences = [...counted].map(
    ([error, { length }]) => `For ${length} of ${recipients.length} recipients: ${error}`,
  );
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** What a recipient is told of who was left when the alias was paused or deleted. */
const NOT_SENT = "It was not sent, because the alias was paused, changed or deleted.";

/** Idempotent. Once it returns, no process sends the message. @throws AppError `not_found`, `too_late` */
export async function cancelEmailJob(
  { emailJobs }: { emailJobs: EmailJobStore },
  { userId, jobId }: { userId: string; jobId: string },
): Promise<void> {
  const cancelled = await emailJobs.cancel(userId, jobId);
  if (cancelled === null) throw notFound(JOB_NOT_FOUND);
  if (!cancelled) throw new AppError("too_late", { message: emailJobMessages.tooLate });
}
