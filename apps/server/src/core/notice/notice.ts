export type NoticeKind =
  | "delivery_failed"
  | "not_confirmed"
  | "not_yours"
  | "not_sealed"
  | "first_proof"
  | "mailbox_suspended"
  | "complaint";

/** What an owner should know and sees in the dashboard. */
export interface Notice {
  id: string;
  userId: string;
  /**
   * `not_confirmed`: mail waits for a mailbox to be confirmed; `not_yours`: its reader refused; `not_sealed`: mail waits to be sealed;
   * `mailbox_suspended`: its host says that it does not exist; `complaint`: a reader marked forwarded mail as spam; `first_proof`: what ended as the mailbox was first shown to be the account's.
   */
  kind: NoticeKind;
  aliasId: string | null;
  /** Our own words; sealed at rest, since it may name the alias or a destination. */
  text: string;
  createdAt: Date;
}

export interface NoticeStore {
  listForUser(userId: string): Promise<Notice[]>;
  insert(notice: Notice): Promise<void>;
  delete(userId: string, noticeId: string): Promise<boolean>;
  deleteBefore(createdBefore: Date): Promise<number>;
}
