import { sql } from "kysely";
import { AppError } from "../../../core/app-error.ts";
import type { LoginSessionStore, NamedLoginSession } from "../../../core/login-session.ts";
import { bounds } from "../../../limits/table.ts";
import type { Database, SessionTable } from "../../database.ts";
import { FOREIGN_KEY_VIOLATION, isDatabaseError } from "../../database-error.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";

/**
 * A condition, always true, that lets the commit not wait for the disk, which would block the embedded database. A
 * crash loses the changes since the last fsynced commit, which only lets a session expire earlier.
 */
const isCommittedWithoutFsync = sql<boolean>`set_config('synchronous_commit', 'off', true) = 'off'`;

interface SessionDocument {
  device: string | null;
}

const fromRow = (row: Pick<SessionTable, "id" | "token_hash" | "user_id" | "created_at" | "last_seen_at">) => ({
  id: row.id,
  tokenHash: row.token_hash,
  userId: row.user_id,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
});

export function loginSessionStore(context: StoreContext): LoginSessionStore {
  const { db, keys } = context;
  const ofToken = db
    .selectFrom("session")
    .select(["id", "token_hash", "user_id", "created_at", "last_seen_at"])
    .where("token_hash", "=", Buffer.alloc(0));
  const byToken = preparedQuery(db, ofToken.compile());
  return {
    insert: async (session) => {
      await insertSession(context, session);
      await endExcessSessions(db, session.userId);
    },
    find: async (tokenHash) => {
      const [row] = await byToken([tokenHash]);
      return row === undefined ? null : fromRow(row);
    },
    listForUser: async (userId) => {
      const query = db.selectFrom("session").selectAll().where("user_id", "=", userId);
      const rows = await query.orderBy("created_at", "desc").orderBy("id").execute();
      return rows.map((row) => {
        const document = row.sealed === null ? null : keys.open<SessionDocument>("session", row.id, row.sealed);
        return { ...fromRow(row), device: document?.device ?? null };
      });
    },
    touch: async (tokenHash, lastSeenAt) => {
      const query = db.updateTable("session").set({ last_seen_at: lastSeenAt }).where("token_hash", "=", tokenHash);
      await query.where(isCommittedWithoutFsync).execute();
    },
    delete: async (tokenHash) => {
      await db.deleteFrom("session").where("token_hash", "=", tokenHash).execute();
    },
    deleteById: async (userId, id) => {
      const query = db.deleteFrom("session").where("user_id", "=", userId).where("id", "=", id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    deleteForUser: async (userId, except) => {
      const mine = db.deleteFrom("session").where("user_id", "=", userId);
      const query = except === undefined ? mine : mine.where("token_hash", "!=", except);
      return Number((await query.executeTakeFirst()).numDeletedRows);
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

/** @throws AppError `credentials_wrong` when the account no longer exists */
async function insertSession({ db, keys }: StoreContext, session: NamedLoginSession): Promise<void> {
  const document: SessionDocument = { device: session.device };
  const row = {
    id: session.id,
    token_hash: session.tokenHash,
    user_id: session.userId,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    sealed: keys.seal("session", session.id, document),
  };
  try {
    await db.insertInto("session").values(row).execute();
  } catch (thrown) {
    if (isDatabaseError(thrown, FOREIGN_KEY_VIOLATION)) throw new AppError("credentials_wrong");
    throw thrown;
  }
}

async function endExcessSessions(db: Database, userId: string): Promise<void> {
  const mine = db.selectFrom("session").select("token_hash").where("user_id", "=", userId);
  const beyond = mine.orderBy("last_seen_at", "desc").offset(bounds.loginSessions.account);
  await db.deleteFrom("session").where("token_hash", "in", beyond).execute();
}
