/** Links to configuration profiles: rows of `one_time_token`, which name the credentials and hold no password. */
import type { FoundProfileLink, MailProfileLinkStore } from "../../core/mail-profile.ts";
import type { StoreContext } from "../store-context.ts";
import { insertToken, takeToken } from "./one-time-tokens.ts";

const kind = "mail-profile";

type LinkDocument = Omit<FoundProfileLink, "userId">;

export function mailProfileLinkStore(context: StoreContext): MailProfileLinkStore {
  const { db } = context;
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
        await insertToken(trx, context, { tokenHash, kind, userId, expiresAt, document });
        return true;
      }),
    take: async (tokenHash) => {
      const taken = await takeToken<LinkDocument>(context, kind, tokenHash);
      return taken === null || taken.userId === null ? null : { userId: taken.userId, ...taken.document };
    },
  };
}
