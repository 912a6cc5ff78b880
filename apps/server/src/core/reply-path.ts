/**
 * The correspondent behind a reply address `r-<token>@…`. A row is found by a hash of the token and sealed with a key
 * derived from the token. Only mail programs hold the token, so the database alone shows neither the correspondents nor
 * how many an owner has.
 */
export interface ReplyPath {
  /** Row id: SHA-256("row" ‖ token). */
  id: Buffer;
  aliasId: string;
  /** The correspondent's address, sealed with a key derived from the token. */
  sealed: Buffer;
}

export interface ReplyPathStore {
  /**
   * Inserts the reply paths that do not exist yet. Concurrent calls share a commit; if there are too many, accounts
   * take turns. Throws when an alias was deleted meanwhile; then none of these paths is stored, and other calls are not
   * affected.
   * @param account owner of all the paths' aliases
   */
  ensure(paths: readonly ReplyPath[], at: { now: Date; account: string }): Promise<void>;
  /** Finds out which reply addresses are stored already. @returns their row ids as hex */
  listKnown(ids: readonly Buffer[]): Promise<Set<string>>;
  find(id: Buffer): Promise<ReplyPath | null>;
  /** Reads the rows with these ids, in one statement and in no particular order; ids without a row are left out. */
  findAll(ids: readonly Buffer[]): Promise<ReplyPath[]>;
}

/**
 * Remembers, as keyed hashes, which signed messages of owners were handled for which reply or send address: whoever
 * holds such a message can send it again as long as its signature is valid. Also remembers who had an absence note from which
 * alias.
 */
export interface AnswerMark {
  /** Keyed hash of the signature and the recipient, or of the alias and the correspondent of a note, in hex. */
  key: string;
  /** Time from which the mark may be deleted: the signature proves nothing any more, or another note may be sent. */
  endsAt: Date;
}

/** Marks to store in the commit that queues an answer. */
export interface MarksToStore {
  /** Account that sent the answer. */
  userId: string;
  marks: readonly AnswerMark[];
  /** Whether the answer is queued even if a mark is known, because its author's own host sent it again. */
  mayRepeat: boolean;
}

export interface SentAnswerStore {
  /** @returns the keys among `keys` that are stored */
  listKnown(keys: readonly string[]): Promise<readonly string[]>;
  /** @returns false when one of the marks was known before */
  remember(userId: string, marks: readonly AnswerMark[]): Promise<boolean>;
  deleteEnded(now: Date): Promise<number>;
}
