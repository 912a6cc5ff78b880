/**
 * Rows of `one_time_token` that anybody can have made before they have shown who they are: a sign-in's half-way state, sealed,
 * found by a hash, taken once. Bounded over all networks, since the limits by network don't end a flood from many of them: when
 * there are too many, the oldest of the busiest network of the busiest block give way, and nobody is refused.
 */

import { sql } from "kysely";
import { latestKnown } from "../../../core/clock-set-back.ts";
import type { TokenTerms } from "../../../core/connection/token-terms.ts";
import type { StoreContext } from "../../store-context.ts";
import { networkIndexes } from "./network-indexes.ts";

/** Open at once, of one kind. */
export const OPEN_MAX = 10_000;

export interface StrangerTokens<Kept extends object> {
  /** Puts away what has expired on the way. */
  keep(tokenHash: Buffer, document: Kept, terms: TokenTerms): Promise<void>;
  /** Takes it out for good; of two at the same time one gets it. @returns `null` when unknown, taken or expired */
  take(tokenHash: Buffer): Promise<Kept | null>;
}

/** Of the bound: how many give way at a time, so that a flood does not pay the search for each of its own. */
const GIVE_WAY_SHARE = 1 / 100;
/** Networks and blocks with up to this many open tokens are never counted as busy. */
const QUIET_TOKENS = 8;

export function strangerTokens<Kept extends object>(
  context: StoreContext,
  { kind, openMax }: { kind: "wallet" | "google"; openMax: number },
): StrangerTokens<Kept> {
  const { db, keys, clock } = context;
  const rowId = (tokenHash: Buffer) => tokenHash.toString("hex");
  return {
    keep: async (tokenHash, document, { expiresAt, clientAddress }) => {
      const now = clock.now();
      // Waits for nobody: what another process is putting away is skipped.
      await sql`DELETE FROM one_time_token WHERE token_hash IN (SELECT token_hash FROM one_time_token
        WHERE expires_at <= ${now} AND kind = ${kind} FOR UPDATE SKIP LOCKED)`.execute(db);
      if ((await countOpen(context, kind)) >= openMax)
        await giveWay(context, { kind, count: openMax * GIVE_WAY_SHARE });
      const sealed = keys.seal("one_time_token", rowId(tokenHash), document);
      const times = { created_at: now, expires_at: expiresAt };
      await db
        .insertInto("one_time_token")
        .values({ token_hash: tokenHash, kind, ...times, ...networkIndexes(keys, clientAddress), sealed })
        .execute();
    },
    take: async (tokenHash) => {
      const row = await db
        .deleteFrom("one_time_token")
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", kind)
        .where("expires_at", ">", clock.now())
        .where("created_at", "<=", latestKnown(clock.now()))
        .returning("sealed")
        .executeTakeFirst();
      if (row === undefined || row.sealed === null) return null;
      return keys.open<Kept>("one_time_token", rowId(tokenHash), row.sealed);
    },
  };
}

async function countOpen({ db, clock }: StoreContext, kind: string): Promise<number> {
  const row = await db
    .selectFrom("one_time_token")
    .select((it) => it.fn.countAll<number>().as("count"))
    .where("expires_at", ">", clock.now())
    .where("created_at", "<=", latestKnown(clock.now()))
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Numbers the tokens of each network and each block from the newest on; the highest numbers go. */
async function giveWay({ db }: StoreContext, { kind, count }: { kind: string; count: number }): Promise<void> {
  await sql`
    WITH by_network AS (
      SELECT token_hash, block_index, created_at,
        row_number() OVER (PARTITION BY network_index ORDER BY created_at DESC) AS in_network
      FROM one_time_token WHERE kind = ${kind}
    ), by_block AS (
      SELECT *, row_number() OVER (PARTITION BY block_index ORDER BY in_network, created_at DESC) AS in_block
      FROM by_network
    )
    DELETE FROM one_time_token WHERE token_hash IN (
      SELECT token_hash FROM by_block
      ORDER BY greatest(in_block, ${sql.lit(QUIET_TOKENS)}) DESC, greatest(in_network, ${sql.lit(QUIET_TOKENS)}) DESC, created_at
      LIMIT ${Math.max(1, Math.floor(count))}::integer
    )`.execute(db);
}
