import type { AccountLinkKind } from "../../../core/user/account-link.ts";
import { latestKnown } from "../../../runtime/ports.ts";
import type { StoreContext } from "../../store-context.ts";
import { tokenId } from "../one-time-tokens.ts";

export interface LinkDocument {
  email: string;
  /** E-mail of the account when the link was requested; only in links that change the e-mail. */
  formerEmail?: string | null;
  askedBy?: string;
}

export async function findLink({ db, keys, clock }: StoreContext, kind: AccountLinkKind, tokenHash: Buffer) {
  const link = await db
    .selectFrom("one_time_token")
    .select(["user_id", "sealed"])
    .where("token_hash", "=", tokenHash)
    .where("kind", "=", kind)
    .where("expires_at", ">", clock.now())
    .where("created_at", "<=", latestKnown(clock.now()))
    .executeTakeFirst();
  if (link === undefined || link.user_id === null || link.sealed === null) return null;
  return { userId: link.user_id, ...keys.open<LinkDocument>("one_time_token", tokenId(tokenHash), link.sealed) };
}
