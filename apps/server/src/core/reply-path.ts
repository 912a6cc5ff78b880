/**
 * The correspondent behind a reply address `r-<token>@…`. A row is found by a hash of the token and sealed with a key
 * derived from it. Only mail programs have the token, so the database alone shows neither the correspondents nor how
 * many an owner has.
 */
export interface ReplyPath {
  id: Buffer;
  aliasId: string;
  sealed: Buffer;
}

export interface ReplyPathStore {
  /**
   * Inserts new paths. Concurrent calls share a commit; if there are too many, accounts take turns. Throws when an
   * alias was deleted meanwhile; then none of these paths is stored, and other calls are not affected.
   * @param account owner of all the paths' aliases
   */
  ensure(paths: readonly ReplyPath[], at: { now: Date; account: string }): Promise<void>;
  /** @returns row ids of the stored reply paths, as hex */
  listKnown(ids: readonly Buffer[]): Promise<Set<string>>;
  find(id: Buffer): Promise<ReplyPath | null>;
  /** Reads paths in one statement and in no particular order; ids without a row are left out. */
  findAll(ids: readonly Buffer[]): Promise<ReplyPath[]>;
}

/**
 * Which signed messages of owners were sent on for which reply or send address, as keyed hashes: whoever has such a
 * message can send it again as long as its signature is valid. Also who had an absence note from which alias.
 */
export interface AnswerMark {
  /** Keyed hash of the signature and the recipient, or of the alias and the correspondent of a note, in hex. */
  key: string;
  /** When the mark may be deleted: the signature has expired, or another absence note may be sent. */
  endsAt: Date;
}

export interface MarksToStore {
  userId: string;
  marks: readonly AnswerMark[];
  /** Whether the answer is queued even if a mark is known, because its author's own host sent it again. */
  mayRepeat: boolean;
}

export interface SentAnswerStore {
  listKnown(keys: readonly string[]): Promise<readonly string[]>;
  /** False when one of the marks was known before. */
  remember(userId: string, marks: readonly AnswerMark[]): Promise<boolean>;
  deleteEnded(now: Date): Promise<number>;
}
