/** Turning passwords into what may be stored. Slow on purpose, so the adapter queues and refuses when too many wait. */
export interface PasswordHasher {
  /** @returns a PHC string. @throws AppError `busy` when too many wait */
  hash(password: string): Promise<string>;
  /**
   * @param passwordHash `null` for a person without one (or nobody at all): works just as long and answers false
   * @throws AppError `busy` when too many wait
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made with weaker parameters than today's. */
  needsRehash(passwordHash: string): boolean;
}
