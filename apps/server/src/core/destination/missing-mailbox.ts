/**
 * When a mailbox is suspended because its host says that it does not exist: after three messages that were refused so over at least
 * a day, with none accepted in between. Its account's mail to it is then refused to senders until the owner resumes the mailbox. Only
 * replies to RCPT in our own SMTP sessions count; a delivery report can claim anything and counts for nothing.
 */

export const MISSING_MAILBOX_RULE = {
  /** Messages refused. */
  refusals: 3,
  /** Between the first of them and the last, ms. */
  spanMs: 86_400_000,
} as const;

export interface MailboxRefusal {
  userId: string;
  /** As the alias spells it. */
  address: string;
  messageId: string;
}

export interface MissingMailbox {
  refusals: number;
  firstAt: Date;
  isSuspended: boolean;
  /** This refusal suspended it. */
  isNew: boolean;
}

/** Each change that routes depend on drops the cached routes of the account, on every process. */
export interface MissingMailboxStore {
  /** Counts a message once, however many aliases it came through. @returns `null` when the account is gone or has too many rows */
  note(refusal: MailboxRefusal): Promise<MissingMailbox | null>;
  /** The mailbox took a message, or its owner wants it tried again. @returns false when nothing was counted */
  clear(userId: string, address: string): Promise<boolean>;
  /** One query. @returns those of the addresses that are suspended */
  suspended(userId: string, addresses: readonly string[]): Promise<Set<string>>;
}
