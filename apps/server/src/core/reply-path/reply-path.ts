/**
 * What stands behind a reply address `r-<token>@…`. Found by a hash of the token, read with a key made from it: without the
 * token, which only mail programs hold, neither correspondents nor their number per alias' owner can be read.
 */
export interface ReplyPath {
  /** SHA-256("row" ‖ token). */
  id: Buffer;
  aliasId: string;
  /** The correspondent, sealed with a key that only the token gives. */
  sealed: Buffer;
}

export interface ReplyPathStore {
  /** One statement; what is there already stays. Throws when the alias is gone meanwhile. */
  ensure(paths: readonly ReplyPath[], now: Date): Promise<void>;
  /** @returns those of `ids` that are there, as hex */
  listKnown(ids: readonly Buffer[]): Promise<Set<string>>;
  find(id: Buffer): Promise<ReplyPath | null>;
  /** One statement. @returns those of `ids` that are there, in any order */
  findAll(ids: readonly Buffer[]): Promise<ReplyPath[]>;
}
