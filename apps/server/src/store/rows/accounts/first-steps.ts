import type { FirstStepsStore } from "../../../core/first-steps.ts";
import type { StoreContext } from "../../store-context.ts";

export function firstStepsStore({ db }: StoreContext): FirstStepsStore {
  return {
    hasMail: async (userId) => {
      // A forwarded message leaves the people in it as rows that replies find them by.
      const people = db.selectFrom("reply_path").innerJoin("alias", "alias.id", "reply_path.alias_id");
      const found = people.select("reply_path.id").where("alias.user_id", "=", userId).limit(1);
      return (await found.executeTakeFirst()) !== undefined;
    },
    isQueued: async (messageId) => {
      const open = db.selectFrom("delivery").select("id").where("message_id", "=", messageId);
      return (await open.limit(1).executeTakeFirst()) !== undefined;
    },
  };
}
