/** The defaults for new aliases that an account's owner has chosen, stored in the sealed document of the user's row. */
import type { ChosenDefaults, DefaultsChange } from "../../../core/mailbox/mailbox.ts";
import type { UserStore } from "../../../core/user/user.ts";
import type { StoreContext } from "../../store-context.ts";
import { lockDocument, sealDocument, type UserDocument } from "./user-document.ts";

export function accountDefaults(context: StoreContext): Pick<UserStore, "defaults" | "changeDefaults"> {
  const { db, keys } = context;
  return {
    defaults: async (id) => {
      const row = await db.selectFrom("user").select("sealed").where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : (keys.open<UserDocument>("user", id, row.sealed).defaults ?? {});
    },
    changeDefaults: (id, change) =>
      db.transaction().execute(async (trx) => {
        const document = await lockDocument(context, trx, id);
        if (document === null) return false;
        await sealDocument(context, trx, id, { ...document, defaults: changed(document.defaults ?? {}, change) });
        return true;
      }),
  };
}

function changed(before: ChosenDefaults, { mailboxId, ...change }: DefaultsChange): ChosenDefaults {
  const { mailboxId: chosen, ...rest } = before;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const mailbox = mailboxId === undefined ? chosen : (mailboxId ?? undefined);
  return { ...rest, ...Object.fromEntries(given), ...(mailbox === undefined ? {} : { mailboxId: mailbox }) };
}
