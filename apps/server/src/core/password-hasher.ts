/**
 * Port for hashing passwords. Hashing is slow on purpose, so the adapter queues jobs and refuses them when too many
 * wait.
 */
/** Whom a hashing job is for. Decides its place in the queue, and which job is dropped when the queue is full. */
export interface HashTurn {
  /** Network block of the client, see `clientBlock`. */
  party: string;
  /**
   * The client has a browser, session or link known to the account; such jobs wait in a queue of their own.
   */
  isKnown: boolean;
}

export interface PasswordHasher {
  /** Hashes a password. @returns a PHC string @throws AppError `busy` when the queue is full */
  hash(password: string, turn: HashTurn): Promise<string>;
  /**
   * Checks a password.
   * @param passwordHash `null` for an account without a password, or no account at all: takes as long and returns false
   * @throws AppError `busy` when the queue is full
   */
  verify(passwordHash: string | null, password: string, turn: HashTurn): Promise<boolean>;
  /** Whether the hash uses weaker parameters than the current ones. */
  needsRehash(passwordHash: string): boolean;
}
