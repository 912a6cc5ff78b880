/**
 * Tokens that anybody can create: the sealed state of an unfinished sign-in, found by a hash and used once. Bounded
 * over all networks, since limits per network do not stop a flood from many. Above the bound the oldest of the networks
 * and blocks with most are evicted; nobody is refused.
 */

import { sql } from "kysely";
import type { FlowSecrets, SignInFlowStore, TokenTerms } from "../../../core/sign-in/federated-issuer.ts";
import type { OfferedChallenge, WalletChallengeStore } from "../../../core/wallet/wallet-proof.ts";
import { clientParty } from "../../../limits/party.ts";
import { bounds } from "../../../limits/table.ts";
import { latestKnown } from "../../../runtime/ports.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { takeToken, tokenId } from "../one-time-tokens.ts";

export interface AnonymousTokens<Kept extends object> {
  keep(tokenHash: Buffer, document: Kept, terms: TokenTerms): Promise<void>;
  take(tokenHash: Buffer): Promise<Kept | null>;
}

/** Share of the tokens evicted at a time, so that a flood does not cost a search per token. */
const EVICTED_SHARE = 1 / 100;
/** Networks and blocks with up to this many tokens count as equally small. */
const SMALL_TOKENS = 8;

export function anonymousTokens<Kept extends object>(
  context: StoreContext,
  { kind, openMax }: { kind: "wallet" | "google"; openMax: number },
): AnonymousTokens<Kept> {
  const { db, keys, clock } = context;
  return {
    keep: async (tokenHash, document, { expiresAt, clientAddress }) => {
      const now = clock.now();
      // Rows that another process deletes are skipped, so that this statement never waits.
      await sql`DELETE FROM one_time_token WHERE token_hash IN (SELECT token_hash FROM one_time_token
        WHERE expires_at <= ${now} AND kind = ${kind} FOR UPDATE SKIP LOCKED)`.execute(db);
      if ((await countOpen(context, kind)) >= openMax)
        await evictOldest(context, { kind, count: openMax * EVICTED_SHARE });
      const sealed = keys.seal("one_time_token", tokenId(tokenHash), document);
      const times = { created_at: now, expires_at: expiresAt };
      await db
        .insertInto("one_time_token")
        .values({ token_hash: tokenHash, kind, ...times, ...networkIndexes(keys, clientAddress), sealed })
        .execute();
    },
    take: async (tokenHash) => (await takeToken<Kept>(context, kind, tokenHash))?.document ?? null,
  };
}

async function countOpen({ db, clock }: StoreContext, kind: string): Promise<number> {
  const row = await db
    .selectFrom("one_time_token")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("expires_at", ">", clock.now())
    .where("created_at", "<=", latestKnown(clock.now()))
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Numbers the tokens of each network and block, newest first, and deletes the highest. */
async function evictOldest({ db }: StoreContext, { kind, count }: { kind: string; count: number }): Promise<void> {
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
      ORDER BY greatest(in_block, ${sql.lit(SMALL_TOKENS)}) DESC, greatest(in_network, ${sql.lit(SMALL_TOKENS)}) DESC, created_at
      LIMIT ${Math.max(1, Math.floor(count))}::integer
    )`.execute(db);
}

/** Keyed hashes of network and block, to find those with most rows without storing an address. */

export interface NetworkIndexes {
  network_index: Buffer;
  block_index: Buffer;
}

export function networkIndexes(keys: Pick<ServerKeys, "hmac">, clientAddress: string): NetworkIndexes {
  const { network, block } = clientParty(clientAddress);
  return {
    network_index: keys.hmac("abuse", `network ${network}`),
    block_index: keys.hmac("abuse", `block ${block}`),
  };
}

/** Unfinished federated sign-ins, which live ten minutes. */

export function signInFlowStore(context: StoreContext, openMax = bounds.openSignIns.open): SignInFlowStore {
  return anonymousTokens<FlowSecrets>(context, { kind: "google", openMax });
}

/** Challenges of sign-in by wallet, which live five minutes. */

export function walletChallengeStore(context: StoreContext, openMax = bounds.openSignIns.open): WalletChallengeStore {
  return anonymousTokens<OfferedChallenge>(context, { kind: "wallet", openMax });
}
