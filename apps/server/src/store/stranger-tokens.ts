/**
 * Rows of `one_time_token` that anybody can have made before they have shown who they are: a sign-in's half-way state, sealed,
 * found by a hash, taken once. Bounded over all networks, since the limits by network don't end a flood from many of them.
 */
import { sql } from "kysely";
import { AppError } from "../core/app-error.ts";
import type { StoreContext } from "./store-context.ts";

/** Open at once, of one kind. */
export const OPEN_MAX = 10_000;

export interface StrangerTokens<Kept extends object> {
  /**
   * Puts away what has expired on the way.
   * @throws AppError `busy` when too many are open
   */
  keep(tokenHash: Buffer, document: Kept, expiresAt: Date): Promise<void>;
  /** Takes it out for good; of two at the same time one gets it. @returns `null` when unknown, taken or expired */
  take(tokenHash: Buffer): Promise<Kept | null>;
}

export function strangerTokens<Kept extends object>(
  { db, keys, clock }: StoreContext,
  { kind, openMax }: { kind: "wallet" | "google"; openMax: number },
): StrangerTokens<Kept> {
  const rowId = (tokenHash: Buffer) => tokenHash.toString("hex");
  return {
    keep: async (tokenHash, document, expiresAt) => {
      const now = clock.now();
      // Waits for nobody: what another process is putting away is skipped.
      await sql`DELETE FROM one_time_token WHERE token_hash IN (SELECT token_hash FROM one_time_token
        WHERE expires_at <= ${now} AND kind = ${kind} FOR UPDATE SKIP LOCKED)`.execute(db);
      const sealed = keys.seal("one_time_token", rowId(tokenHash), document);
      const kept = await sql`INSERT INTO one_time_token (token_hash, kind, user_id, created_at, expires_at, sealed)
        SELECT ${tokenHash}::bytea, ${kind}::text, NULL::uuid, ${now}::timestamptz, ${expiresAt}::timestamptz, ${sealed}::bytea
        WHERE (SELECT count(*) FROM one_time_token
          WHERE expires_at > ${now} AND expires_at <= ${expiresAt} AND kind = ${kind}) < ${openMax}`.execute(db);
      if (kept.numAffectedRows !== 1n) throw new AppError("busy");
    },
    take: async (tokenHash) => {
      const row = await db
        .deleteFrom("one_time_token")
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", kind)
        .where("expires_at", ">", clock.now())
        .returning("sealed")
        .executeTakeFirst();
      if (row === undefined || row.sealed === null) return null;
      return keys.open<Kept>("one_time_token", rowId(tokenHash), row.sealed);
    },
  };
}
