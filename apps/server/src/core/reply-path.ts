/** Sealed with a key derived from the token in `r-<token>@…`, so the database alone does not show correspondents. */
export interface ReplyPath {
  id: Buffer;
  aliasId: string;
  sealed: Buffer;
}

export interface ReplyPathStore {
  /** Inserts new paths of one account in a shared commit, all or none. Throws when an alias was deleted. */
  ensure(paths: readonly ReplyPath[], at: { now: Date; account: string }): Promise<void>;
  listKnown(ids: readonly Buffer[]): Promise<Set<string>>;
  find(id: Buffer): Promise<ReplyPath | null>;
  /** In no particular order; ids without a row are left out. */
  findAll(ids: readonly Buffer[]): Promise<ReplyPath[]>;
}

/** Marks of sent-on messages (and of absence notes), because whoever has a signed message could send it again. */
export interface AnswerMark {
  /** Keyed hash of signature and recipient, or of a note's alias and correspondent, in hex. */
  key: string;
  /** When the signature has expired, or another absence note may be sent. */
  endsAt: Date;
}

export interface MarksToStore {
  userId: string;
  marks: readonly AnswerMark[];
  /** Enqueues despite a known mark, because the author's own host sent the answer again. */
  mayRepeat: boolean;
}

export interface SentAnswerStore {
  listKnown(keys: readonly string[]): Promise<readonly string[]>;
  /** False when one of the marks was known before. */
  remember(userId: string, marks: readonly AnswerMark[]): Promise<boolean>;
  deleteEnded(now: Date): Promise<number>;
}
