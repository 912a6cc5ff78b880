/** Signed-in browsers. Nothing here is personal: the token is only known by its hash. */

import { AppError } from "../core/app-error.ts";
import type { LoginSessionStore } from "../core/login-session/login-session.ts";
import { FOREIGN_KEY_VIOLATION, isDatabaseError } from "./database.ts";
import type { StoreContext } from "./store-context.ts";

export function loginSessionStore({ db }: StoreContext): LoginSessionStore {
  return {
    insert: async (session) => {
      await db
        .insertInto("session")
        .values({
          token_hash: session.tokenHash,
          user_id: session.userId,
          created_at: session.createdAt,
          last_seen_at: session.lastSeenAt,
        })
        .execute()
        .catch((thrown: unknown) => {
          if (isDatabaseError(thrown, FOREIGN_KEY_VIOLATION)) throw new AppError("credentials_wrong");
          throw thrown;
        });
    },
    find: async (tokenHash) => {
      const row = await db.selectFrom("session").selectAll().where("token_hash", "=", tokenHash).executeTakeFirst();
      if (row === undefined) return null;
      return { tokenHash, userId: row.user_id, createdAt: row.created_at, lastSeenAt: row.last_seen_at };
    },
    touch: async (tokenHash, lastSeenAt) => {
      await db.updateTable("session").set({ last_seen_at: lastSeenAt }).where("token_hash", "=", tokenHash).execute();
    },
    delete: async (tokenHash) => {
      await db.deleteFrom("session").where("token_hash", "=", tokenHash).execute();
    },
    deleteForUser: async (userId) => {
      await db.deleteFrom("session").where("user_id", "=", userId).execute();
    },
    deleteExpired: async (idleBefore, createdBefore) => {
      const result = await db
        .deleteFrom("session")
        .where((row) => row.or([row("last_seen_at", "<", idleBefore), row("created_at", "<", createdBefore)]))
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
