/** A user's signed-in browser. Only the browser has the token; the store has its SHA-256. */
export interface LoginSession {
  /** Identifies the session in the owner's list; not secret. */
  id: string;
  tokenHash: Buffer;
  userId: string;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface NamedLoginSession extends LoginSession {
  /** Browser and system in our own words, e.g. `Firefox on Linux`; `null` when unknown. */
  device: string | null;
}

export interface LoginSessionStore {
  /**
   * Stores a session.
   * @throws AppError `credentials_wrong` when the account was deleted after its credentials were checked
   */
  insert(session: NamedLoginSession): Promise<void>;
  find(tokenHash: Buffer): Promise<LoginSession | null>;
  /** Sessions of the account, newest sign-in first, including expired ones. */
  listForUser(userId: string): Promise<NamedLoginSession[]>;
  touch(tokenHash: Buffer, lastSeenAt: Date): Promise<void>;
  delete(tokenHash: Buffer): Promise<void>;
  /** Ends one session. @returns false when the account had no session with this id */
  deleteById(userId: string, id: string): Promise<boolean>;
  /** Ends the account's sessions. @param except token hash of a session to keep @returns how many ended */
  deleteForUser(userId: string, except?: Buffer): Promise<number>;
  /** Deletes sessions last used before `idleBefore` or opened before `createdBefore`. @returns how many */
  deleteExpired(idleBefore: Date, createdBefore: Date): Promise<number>;
}
