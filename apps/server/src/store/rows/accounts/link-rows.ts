/**
 * One-use links that are sent by e-mail to the owner of an account, as rows of `one_time_token`, found by the hash of
 * their token.
 */

import type { AccountLinkKind } from "../../../core/user/account-link.ts";
import { latestKnown } from "../../../runtime/clock-set-back.ts";
import type { StoreContext } from "../../store-context.ts";

export interface LinkDocument {
  email: string;
  /** The account's e-mail when the link was requested; only in a link that changes the e-mail. */
  formerEmail?: string | null;
  /** Name of the browser that requested the link (`sign-in-link.ts`); only in sign-in links. */
  askedBy?: string;
}

export const linkId = (tokenHash: Buffer) => tokenHash.toString("hex");

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
  return { userId: link.user_id, ...keys.open<LinkDocument>("one_time_token", linkId(tokenHash), link.sealed) };
}
