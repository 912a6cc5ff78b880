/**
 * Keeps what stands behind the reply addresses of a forwarded message, before the message leaves: an answer must find its way.
 * Remembers what it has kept, so that mail from known correspondents costs no query. A row stays as long as its alias, and a
 * stranger who forges senders makes up to a hundred for every alias with one message: an alias and an account take so many new
 * correspondents a day. Who has written before is always taken, and other aliases of the same message are served.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { replyRowId, sealCorrespondent } from "@kauke/mail-rfc";
import { type Clock, steadyMs } from "../../core/ports.ts";
import { type BucketRule, TokenBuckets } from "../../core/rate-limit/token-buckets.ts";
import type { ReplyPathStore } from "../../core/reply-path/reply-path.ts";

export interface Correspondent {
  address: string;
  name: string | null;
  /** Of their reply address. */
  token: string;
}

/** The reply addresses in an alias' copy of a message. */
export interface CopyReplies {
  aliasId: string;
  /** The alias' account. */
  userId: string;
  correspondents: readonly Correspondent[];
}

export interface NewCorrespondents {
  alias: BucketRule;
  account: BucketRule;
}

/** New rows, 250 bytes each. The busiest mailing list brings some hundred new authors a day. */
export const newCorrespondents: NewCorrespondents = {
  alias: { max: 5000, windowSeconds: 86_400 },
  account: { max: 10_000, windowSeconds: 86_400 },
};

const maxRemembered = 50_000;
const KEYS_MAX = 20_000;
/** Rows of one statement, and of one turn of the event loop: some 20 ms on the embedded database. */
const PIECE_ROWS = 200;

interface NewPath extends Correspondent {
  aliasId: string;
  userId: string;
}

export class ReplyBook {
  readonly #store: Pick<ReplyPathStore, "ensure" | "listKnown">;
  readonly #clock: Clock;
  readonly #kept = new Set<string>();
  readonly #new: { alias: TokenBuckets; account: TokenBuckets } | null;
  /** Work of more than one piece: the end of each account's line. */
  readonly #lines = new Map<string, Promise<void>>();

  /** @param rules `null`: as many as come */
  constructor(
    store: Pick<ReplyPathStore, "ensure" | "listKnown">,
    clock: Clock,
    rules: NewCorrespondents | null = newCorrespondents,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#new = rules && {
      alias: new TokenBuckets(rules.alias, KEYS_MAX),
      account: new TokenBuckets(rules.account, KEYS_MAX),
    };
  }

  /**
   * One statement for all that is new, nothing when nothing is. What is more than a piece is kept piece by piece, with turns of the
   * event loop between; of one account one such message at a time.
   * @returns ids of the aliases that take no more new correspondents now: nothing is kept for their copies, which must not leave
   * @throws what the store throws when it can't keep them
   */
  async keep(copies: readonly CopyReplies[]): Promise<ReadonlySet<string>> {
    const paths = this.#notKept(copies);
    const [first] = paths;
    if (first === undefined) return new Set();
    if (paths.length <= PIECE_ROWS) return await this.#keep(paths);
    return await this.#inLine(first.userId, () => this.#keep(paths));
  }

  #notKept(copies: readonly CopyReplies[]): NewPath[] {
    return copies.flatMap(({ aliasId, userId, correspondents }) =>
      correspondents.filter(({ token }) => !this.#kept.has(token)).map((it) => ({ ...it, aliasId, userId })),
    );
  }

  async #inLine<T>(account: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#lines.get(account) ?? Promise.resolve()).then(work);
    const end = done.then(
      () => {},
      () => {},
    );
    this.#lines.set(account, end);
    try {
      return await done;
    } finally {
      if (this.#lines.get(account) === end) this.#lines.delete(account);
    }
  }

  async #keep(paths: readonly NewPath[]): Promise<ReadonlySet<string>> {
    const now = this.#clock.now();
    const over = await this.#count(paths, steadyMs(this.#clock));
    const taken = over.size === 0 ? paths : paths.filter(({ aliasId }) => !over.has(aliasId));
    for await (const piece of inPieces(taken)) {
      await this.#store.ensure(piece.map(rowOf), now);
      for (const { token } of piece) this.#remember(token);
    }
    return over;
  }

  /** The store is asked who of them is known only where there is no room for all. @returns aliases without room */
  async #count(paths: readonly NewPath[], now: number): Promise<ReadonlySet<string>> {
    const doubtful = this.#spend(paths, now);
    return doubtful.size === 0
      ? doubtful
      : this.#spend(await this.#unknown(paths.filter(({ aliasId }) => doubtful.has(aliasId))), now);
  }

  /** Counts what there is room for, alias by alias. @returns aliases without room, for which nothing is counted */
  #spend(paths: readonly NewPath[], now: number): ReadonlySet<string> {
    const over = new Set<string>();
    if (this.#new === null) return over;
    const { alias, account } = this.#new;
    for (const [aliasId, own] of Map.groupBy(paths, (it) => it.aliasId)) {
      const { userId } = own[0] as NewPath;
      if (alias.isEmpty(aliasId, now, own.length) || account.isEmpty(userId, now, own.length)) over.add(aliasId);
      else {
        alias.spend(aliasId, now, own.length);
        account.spend(userId, now, own.length);
      }
    }
    return over;
  }

  async #unknown(paths: readonly NewPath[]): Promise<NewPath[]> {
    const unknown: NewPath[] = [];
    for await (const piece of inPieces(paths)) {
      const ids = piece.map(({ token }) => replyRowId(token));
      const known = await this.#store.listKnown(ids);
      unknown.push(...piece.filter((_, index) => !known.has(ids[index]?.toString("hex") ?? "")));
    }
    return unknown;
  }

  #remember(token: string): void {
    const oldest = this.#kept.values().next().value;
    if (this.#kept.size >= maxRemembered && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.add(token);
  }
}

/** Sealing takes as long as the statement, so it is done piece by piece as well. */
function rowOf({ token, aliasId, address, name }: NewPath) {
  return { id: replyRowId(token), aliasId, sealed: sealCorrespondent(token, { address, name }) };
}

async function* inPieces(paths: readonly NewPath[]): AsyncGenerator<readonly NewPath[]> {
  for (let from = 0; from < paths.length; from += PIECE_ROWS) {
    if (from > 0) await nextTurn();
    yield paths.slice(from, from + PIECE_ROWS);
  }
}
