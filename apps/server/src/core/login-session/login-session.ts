/** A person's signed-in browser. The token is known to the browser only; the store holds its SHA-256. */
export interface LoginSession {
  /** Names the session to its owner; no secret. */
  id: string;
  tokenHash: Buffer;
  userId: string;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface NamedLoginSession extends LoginSession {
  /** Coarse, in our words: `Firefox on Linux`. `null`: not known. */
  device: string | null;
}

export interface LoginSessionStore {
  /** @throws AppError `credentials_wrong` when the account was deleted since they were checked */
  insert(session: NamedLoginSession): Promise<void>;
  find(tokenHash: Buffer): Promise<LoginSession | null>;
  /** Newest sign-in first, whether their time is over or not. */
  listForUser(userId: string): Promise<NamedLoginSession[]>;
  touch(tokenHash: Buffer, lastSeenAt: Date): Promise<void>;
  delete(tokenHash: Buffer): Promise<void>;
  /** @returns whether this account had a session of this id */
  deleteById(userId: string, id: string): Promise<boolean>;
  /** @param except this one stays. @returns how many */
  deleteForUser(userId: string, except?: Buffer): Promise<number>;
  /** Retention: ends sessions not seen since `idleBefore` or made before `createdBefore`. @returns how many */
  deleteExpired(idleBefore: Date, createdBefore: Date): Promise<number>;
}
