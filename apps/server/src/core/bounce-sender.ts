/** A sender whose address does not fit into a bounce address, which contains a token instead. */
export interface BounceSender {
  aliasId: string;
  token: Buffer;
  sender: string;
}

export interface BounceSenderStore {
  /** Stores senders or extends their expiry, all or none. Throws when an alias was deleted. @param expiresOn UTC day */
  ensure(senders: readonly BounceSender[], at: { expiresOn: string; account: string }): Promise<void>;
  find(of: Omit<BounceSender, "sender">): Promise<string | null>;
  deleteExpired(now: Date): Promise<number>;
}

export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);
