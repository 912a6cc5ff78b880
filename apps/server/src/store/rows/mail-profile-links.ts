/** Links to configuration profiles: rows of `one_time_token`, which name the credentials and hold no password. */
import type { FoundProfileLink, MailProfileLinkStore } from "../../core/mail-profile.ts";
import { latestKnown } from "../../runtime/ports.ts";
import type { StoreContext } from "../store-context.ts";
import { linkId } from "./accounts/link-rows.ts";

const kind = "mail-profile";

type LinkDocument = Omit<FoundProfileLink, "userId">;

export function mailProfileLinkStore({ db, keys, clock }: StoreContext): MailProfileLinkStore {
  return {
    issue: ({ tokenHash, userId, aliasId, credentialId, stamp, expiresAt }, max) =>
      db.transaction().execute(async (trx) => {
        const user = trx.selectFrom("user").select("id").where("id", "=", userId).forUpdate();
        if ((await user.executeTakeFirst()) === undefined) return false;
        const older = await trx
          .selectFrom("one_time_token")
          .select("token_hash")
          .where("user_id", "=", userId)
          .where("kind", "=", kind)
          .orderBy("created_at", "desc")
          .offset(max - 1)
          .execute();
        for (const { token_hash } of older)
          await trx.deleteFrom("one_time_token").where("token_hash", "=", token_hash).execute();
        const document: LinkDocument = { aliasId, credentialId, stamp };
        const sealed = keys.seal("one_time_token", linkId(tokenHash), document);
        const times = { created_at: clock.now(), expires_at: expiresAt };
        await trx
          .insertInto("one_time_token")
          .values({ token_hash: tokenHash, kind, user_id: userId, ...times, sealed })
          .execute();
        return true;
      }),
    take: async (tokenHash) => {
      const row = await db
        .deleteFrom("one_time_token")
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", kind)
        .where("expires_at", ">", clock.now())
        .where("created_at", "<=", latestKnown(clock.now()))
        .returning(["user_id", "sealed"])
        .executeTakeFirst();
      if (row === undefined || row.user_id === null || row.sealed === null) return null;
      return {
        userId: row.user_id,
        ...keys.open<LinkDocument>("one_time_token", linkId(tokenHash), row.sealed),
      };
    },
  };
}
