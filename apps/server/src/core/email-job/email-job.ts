/**
 * A message somebody composed: the record its owner watches. The queue is `delivery`; the record changes in the same commit as
 * its delivery, never by itself.
 */
import type { EmailJobStatus } from "@kauke/contract";
import type { DeliveryFailure, MessageToKeep, OpenDelivery } from "../delivery/delivery.ts";

export interface EmailJob {
  id: string;
  userId: string;
  /** `null` once the alias is gone. */
  aliasId: string | null;
  useEncryption: boolean;
  status: EmailJobStatus;
  /** 0 to 10; higher is claimed first. */
  priority: number;
  maxRetries: number;
  currentRetries: number;
  /** When it may be sent, the time for undo included. */
  scheduledAt: Date;
  /** When it was sent or finally failed. */
  processedAt: Date | null;
  cancelledAt: Date | null;
  lastFailure: DeliveryFailure | null;
  /** With its brackets; the same for every try. */
  messageId: string;
  createdAt: Date;
}

/** What is sealed besides until it is sent, failed or cancelled; then it is erased, like the body. */
export interface EmailJobContent {
  recipient: string;
  subject: string;
}

export interface EmailJobToQueue {
  job: EmailJob;
  content: EmailJobContent;
  /** The body must be in `MessageBodies` before. */
  message: MessageToKeep;
  delivery: OpenDelivery;
}

export interface WaitingJob {
  job: EmailJob;
  content: EmailJobContent;
}

export interface EmailJobStore {
  /**
   * Record, message and delivery in one commit.
   * @throws AppError `invalid` on `fromAliasId` when the alias is paused, gone or without SMTP credentials by now,
   * `spool_failed` when nothing can be stored
   */
  queue(wish: EmailJobToQueue): Promise<void>;
  find(userId: string, jobId: string): Promise<EmailJob | null>;
  /** Those that have not ended, the newest first. */
  listWaiting(userId: string, max: number): Promise<WaitingJob[]>;
  /**
   * One guarded step, valid on any process: takes the delivery out of the queue and cancels, unless a sender has it or may
   * have brought it to its recipient. The body goes too.
   * @returns whether it is cancelled now, by this call or an earlier one; `null` when it is not this user's
   */
  cancel(userId: string, jobId: string): Promise<boolean | null>;
  /** Forgets records that ended before. */
  deleteEndedBefore(endedBefore: Date): Promise<number>;
}
