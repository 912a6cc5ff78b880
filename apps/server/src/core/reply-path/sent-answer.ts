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
