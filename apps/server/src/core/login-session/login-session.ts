/** A person's signed-in browser. The token is known to the browser only; the store holds its SHA-256. */
export interface LoginSession {
  tokenHash: Buffer;
  userId: string;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface LoginSessionStore {
  /** @throws AppError `credentials_wrong` when the account was deleted since they were checked */
  insert(session: LoginSession): Promise<void>;
  find(tokenHash: Buffer): Promise<LoginSession | null>;
  touch(tokenHash: Buffer, lastSeenAt: Date): Promise<void>;
  delete(tokenHash: Buffer): Promise<void>;
  deleteForUser(userId: string): Promise<void>;
  /** Retention: ends sessions not seen since `idleBefore` or made before `createdBefore`. @returns how many */
  deleteExpired(idleBefore: Date, createdBefore: Date): Promise<number>;
}
