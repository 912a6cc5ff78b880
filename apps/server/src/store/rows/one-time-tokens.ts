/** Rows of `one_time_token`: found by a hash, with sealed content, used once. */
import { latestKnown } from "../../runtime/ports.ts";
import type { InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

/** Id under which a row's content is sealed. */
export const tokenId = (tokenHash: Buffer) => tokenHash.toString("hex");

interface NewToken {
  tokenHash: Buffer;
  kind: string;
  userId: string;
  expiresAt: Date;
}

export async function insertToken(
  trx: InTransaction,
  { keys, clock }: Pick<StoreContext, "keys" | "clock">,
  { tokenHash, kind, userId, expiresAt, document }: NewToken & { document: object },
): Promise<void> {
  const sealed = keys.seal("one_time_token", tokenId(tokenHash), document);
  const times = { created_at: clock.now(), expires_at: expiresAt };
  await trx
    .insertInto("one_time_token")
    .values({ token_hash: tokenHash, kind, user_id: userId, ...times, sealed })
    .execute();
}

/** Deletes a token's row. @returns its content, to one of several concurrent calls; `null` if unknown or expired */
export async function takeToken<Document extends object>(
  { db, keys, clock }: Pick<StoreContext, "db" | "keys" | "clock">,
  kind: string,
  tokenHash: Buffer,
): Promise<{ userId: string | null; document: Document } | null> {
  const row = await db
    .deleteFrom("one_time_token")
    .where("token_hash", "=", tokenHash)
    .where("kind", "=", kind)
    .where("expires_at", ">", clock.now())
    .where("created_at", "<=", latestKnown(clock.now()))
    .returning(["user_id", "sealed"])
    .executeTakeFirst();
  if (row === undefined || row.sealed === null) return null;
  return { userId: row.user_id, document: keys.open<Document>("one_time_token", tokenId(tokenHash), row.sealed) };
}
