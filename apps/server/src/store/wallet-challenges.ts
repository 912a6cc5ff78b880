/** Challenges of sign-in by wallet: rows of `one_time_token` that live five minutes. Bounded, since anybody can ask for one. */
import { sql } from "kysely";
import { AppError } from "../core/app-error.ts";
import type { OfferedChallenge, WalletChallengeStore } from "../core/wallet/wallet-challenge.ts";
import type { StoreContext } from "./store-context.ts";

const KIND = "wallet";

/** Open at once, over all networks: what a flood from many of them can take up. */
const OPEN_MAX = 10_000;

export function walletChallengeStore({ db, keys, clock }: StoreContext, openMax = OPEN_MAX): WalletChallengeStore {
  const rowId = (hash: Buffer) => hash.toString("hex");
  return {
    keep: async (challengeHash, offered, expiresAt) => {
      const now = clock.now();
      // Waits for nobody: what another process is putting away is skipped.
      await sql`DELETE FROM one_time_token WHERE token_hash IN (SELECT token_hash FROM one_time_token
        WHERE expires_at <= ${now} AND kind = ${KIND} FOR UPDATE SKIP LOCKED)`.execute(db);
      const sealed = keys.seal("one_time_token", rowId(challengeHash), offered);
      const kept = await sql`INSERT INTO one_time_token (token_hash, kind, user_id, created_at, expires_at, sealed)
        SELECT ${challengeHash}::bytea, ${KIND}::text, NULL::uuid, ${now}::timestamptz, ${expiresAt}::timestamptz, ${sealed}::bytea
        WHERE (SELECT count(*) FROM one_time_token
          WHERE expires_at > ${now} AND expires_at <= ${expiresAt} AND kind = ${KIND}) < ${openMax}`.execute(db);
      if (kept.numAffectedRows !== 1n) throw new AppError("busy");
    },
    take: async (challengeHash) => {
      const row = await db
        .deleteFrom("one_time_token")
        .where("token_hash", "=", challengeHash)
        .where("kind", "=", KIND)
        .where("expires_at", ">", clock.now())
        .returning("sealed")
        .executeTakeFirst();
      if (row === undefined || row.sealed === null) return null;
      return keys.open<OfferedChallenge>("one_time_token", rowId(challengeHash), row.sealed);
    },
  };
}
