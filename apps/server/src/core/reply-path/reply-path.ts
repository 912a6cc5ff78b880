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
