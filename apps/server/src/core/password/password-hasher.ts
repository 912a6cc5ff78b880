/** Turning passwords into what may be stored. Slow on purpose, so the adapter queues and refuses when too many wait. */

/** Whose work a hash is: who may wait for one, and who gives way when too many do. */
export interface HashTurn {
  /** The block of networks it comes from, see `clientBlock`. */
  party: string;
  /** A browser, session or link that the account knows: such work waits apart from everybody else's. */
  isKnown: boolean;
}

export interface PasswordHasher {
  /** @returns a PHC string. @throws AppError `busy` when too many wait */
  hash(password: string, turn: HashTurn): Promise<string>;
  /**
   * @param passwordHash `null` for a person without one (or nobody at all): works just as long and answers false
   * @throws AppError `busy` when too many wait
   */
  verify(passwordHash: string | null, password: string, turn: HashTurn): Promise<boolean>;
  /** Whether the hash was made with weaker parameters than today's. */
  needsRehash(passwordHash: string): boolean;
}
