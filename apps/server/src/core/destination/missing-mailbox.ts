/**
 * Suspends a mailbox whose host says that it does not exist: after three messages refused that way over at least a day,
 * with none accepted in between. Aliases of the account then send no mail to it until the owner resumes it. Only
 * replies to RCPT in our own SMTP sessions count, since a delivery report can be forged.
 */
import { AppError } from "../app-error.ts";
import type { Pair } from "./destination.ts";

export const MISSING_MAILBOX_RULE = {
  /** Number of messages that the mailbox's host refuses before the mailbox is suspended. */
  refusals: 3,
  /** Minimum milliseconds between the first and the last of the refusals that suspend a mailbox. */
  spanMs: 86_400_000,
} as const;

export interface MailboxRefusal {
  userId: string;
  /** Mailbox address as the alias spells it. */
  address: string;
  messageId: string;
}

export interface MissingMailbox {
  refusals: number;
  firstAt: Date;
  isSuspended: boolean;
  /** Whether the mailbox was suspended by this refusal, and not by an earlier one. */
  isNew: boolean;
}

/** Every change that affects routes drops the account's cached routes in every process. */
export interface MissingMailboxStore {
  /**
   * Counts a refused message once, however many aliases it came through.
   * @returns `null` when nothing was counted: the message was counted before, the mailbox is suspended already, or the
   * account no longer exists or has too many rows
   */
  note(refusal: MailboxRefusal): Promise<MissingMailbox | null>;
  /**
   * Resets the count, when the mailbox accepted a message or its owner resumes it.
   * @returns false when there was no count
   */
  clear(userId: string, address: string): Promise<boolean>;
  /** Deletes counts whose last refusal is older and that suspended no mailbox. @returns number of deleted rows */
  deleteBefore(before: Date): Promise<number>;
  /** Suspended mailboxes among the addresses, in one query. */
  suspended(userId: string, addresses: readonly string[]): Promise<Set<string>>;
}

/** Resumes a suspended mailbox at the owner's request and resets its count of refusals. @throws AppError `not_found` */
export async function resumeMailbox(
  { missingMailboxes }: { missingMailboxes: MissingMailboxStore },
  { userId, address }: Pair,
): Promise<void> {
  if (await missingMailboxes.clear(userId, address)) return;
  throw new AppError("not_found", { message: "This mailbox is not suspended." });
}
