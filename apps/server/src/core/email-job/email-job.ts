/**
 * The record of a composed message, shown to its owner. It changes only together with its delivery, in the same commit.
 */
import type { EmailJobStatus } from "@kauke/contract";
import type { DeliveryFailure, MessageToKeep, OpenDelivery } from "../delivery/delivery.ts";

export interface EmailJob {
  id: string;
  userId: string;
  /** Alias that the message is sent from; `null` once that alias was deleted. */
  aliasId: string | null;
  useEncryption: boolean;
  status: EmailJobStatus;
  /** Priority of the message, 0 to 10; higher priorities are claimed first by delivery workers. */
  priority: number;
  maxRetries: number;
  currentRetries: number;
  /** Earliest time of the first delivery attempt, which is not before the time to cancel is over. */
  scheduledAt: Date;
  /** When the message was sent or failed permanently. */
  processedAt: Date | null;
  cancelledAt: Date | null;
  lastFailure: DeliveryFailure | null;
  /** Message-ID with its angle brackets; the same for every attempt. */
  messageId: string;
  createdAt: Date;
}

/** Sealed content, erased together with the body once the message is sent, failed or cancelled. */
export interface EmailJobContent {
  recipient: string;
  subject: string;
}

export interface EmailJobToQueue {
  job: EmailJob;
  content: EmailJobContent;
  /** The message's row. Its body must already be stored in `MessageBodies`. */
  message: MessageToKeep;
  delivery: OpenDelivery;
}

export interface WaitingJob {
  job: EmailJob;
  /** Earliest time of the next delivery attempt. */
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
  /** Messages that are pending or being sent, newest first. */
  listWaiting(userId: string, max: number): Promise<WaitingJob[]>;
  /**
   * Removes the delivery and the body and marks the job as cancelled, in one guarded step across processes; does
   * nothing once a delivery worker is sending the message or may have sent it.
   * @returns whether the job is cancelled, by this call or an earlier one; `null` when it does not belong to this user
   */
  cancel(userId: string, jobId: string): Promise<boolean | null>;
  /** Deletes records that ended before this time. @returns how many */
  deleteEndedBefore(endedBefore: Date): Promise<number>;
}
