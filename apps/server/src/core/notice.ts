import { notFound } from "./app-error.ts";

export type NoticeKind =
  | "delivery_failed"
  | "not_confirmed"
  | "not_yours"
  | "not_sealed"
  | "first_proof"
  | "mailbox_suspended"
  | "complaint"
  | "answer_not_sent";

export interface Notice {
  id: string;
  userId: string;
  /**
   * `not_confirmed`: mail is waiting for a mailbox to be confirmed. `not_yours`: the mailbox's reader refused.
   * `not_sealed`: mail is waiting to be encrypted. `mailbox_suspended`: the mail host says that the mailbox does not
   * exist. `complaint`: a reader marked forwarded mail as spam. `answer_not_sent`: a message that the owner, or a
   * program of the owner, wrote to a correspondent was not sent; its mail host was not told why, or writing by address
   * is off. `first_proof`: what was removed when the account first proved its e-mail.
   */
  kind: NoticeKind;
  aliasId: string | null;
  /** Our own text; sealed at rest, since it may contain the alias or a destination. */
  text: string;
  createdAt: Date;
}

export interface NoticeStore {
  listForUser(userId: string): Promise<Notice[]>;
  insert(notice: Notice): Promise<void>;
  delete(userId: string, noticeId: string): Promise<boolean>;
  deleteBefore(createdBefore: Date): Promise<number>;
}

/** @throws AppError `not_found` when it does not belong to this user */
export async function dismissNotice(
  deps: { notices: NoticeStore },
  { userId, noticeId }: { userId: string; noticeId: string },
): Promise<void> {
  if (!(await deps.notices.delete(userId, noticeId))) throw notFound("Notice not found");
}
