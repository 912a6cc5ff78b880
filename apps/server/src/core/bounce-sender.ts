/** A sender whose address is too long for a bounce address, which contains a token instead. */
export interface BounceSender {
  aliasId: string;
  token: Buffer;
  sender: string;
}

export interface BounceSenderStore {
  /**
   * Stores senders, or moves the expiry of those that are stored to a later day. Concurrent calls share a commit.
   * Throws when an alias was deleted meanwhile; then none of these senders is stored, and other calls are not affected.
   * @param expiresOn day (UTC, as in `2026-11-27`) from which the row may be deleted
   * @param account owner of all the aliases
   */
  ensure(senders: readonly BounceSender[], at: { expiresOn: string; account: string }): Promise<void>;
  /** @returns the sender; `null` when none is stored for this alias and token */
  find(of: Omit<BounceSender, "sender">): Promise<string | null>;
  deleteExpired(now: Date): Promise<number>;
}

export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);
