import type { AuthMethod } from "@kauke/contract";
import { sql } from "kysely";
import { type MigrationState, migrationState } from "../migrate.ts";
import type { StoreContext } from "../store-context.ts";
import { changeAndDropRoutes, lockMailbox } from "./mailboxes/destinations.ts";
import { mailboxIndex } from "./mailboxes/mailboxes.ts";

export interface OperatorUser {
  id: string;
  authMethod: AuthMethod;
  createdAt: Date;
  aliases: number;
  lastSeenAt: Date | null;
  email: string | null;
}

export interface OperatorStore {
  listUsers(page: { after: string | null; limit: number }): Promise<OperatorUser[]>;
  findUser(id: string): Promise<OperatorUser | null>;
  /** Lifts the block of a mailbox. @returns false when it was not blocked */
  unblockMailbox(address: string): Promise<boolean>;
  migrations(): Promise<MigrationState>;
}

export function operatorStore(context: StoreContext): OperatorStore {
  return {
    listUsers: ({ after, limit }) => readUsers(context, { after, id: null, limit }),
    findUser: async (id) => (await readUsers(context, { after: null, id, limit: 1 }))[0] ?? null,
    unblockMailbox: (address) => unblockMailbox(context, address),
    migrations: () => migrationState(context.db),
  };
}

async function readUsers(
  { db, keys }: StoreContext,
  { after, id, limit }: { after: string | null; id: string | null; limit: number },
): Promise<OperatorUser[]> {
  let query = db
    .selectFrom("user")
    .select(["id", "auth_method", "created_at", "sealed"])
    .select((row) => [
      row
        .selectFrom("alias")
        .select((row) => row.fn.countAll<number>().as("count"))
        .whereRef("alias.user_id", "=", "user.id")
        .as("aliases"),
      row
        .selectFrom("session")
        .select(sql<Date | null>`max(session.last_seen_at)`.as("last"))
        .whereRef("session.user_id", "=", "user.id")
        .as("last_seen_at"),
    ]);
  if (after !== null) query = query.where("id", ">", after);
  if (id !== null) query = query.where("id", "=", id);
  const rows = await query.orderBy("id").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    authMethod: row.auth_method,
    createdAt: row.created_at,
    aliases: row.aliases ?? 0,
    lastSeenAt: row.last_seen_at,
    email: keys.open<{ email: string | null }>("user", row.id, row.sealed).email,
  }));
}

function unblockMailbox(context: StoreContext, address: string): Promise<boolean> {
  const index = mailboxIndex(context.keys, address);
  return changeAndDropRoutes(context, async (trx) => {
    await lockMailbox(trx, index);
    const block = await trx.deleteFrom("blocked_mailbox").where("mailbox_index", "=", index).executeTakeFirst();
    // The blocked mailbox' row is deleted, not confirmed: the next message asks the reader as if for the first time.
    const pairs = await trx
      .deleteFrom("destination")
      .where("mailbox_index", "=", index)
      .where("state", "=", "blocked")
      .returning("user_id")
      .execute();
    return { result: block.numDeletedRows > 0n, changed: pairs.map((pair) => pair.user_id) };
  });
}

export interface CounterStore {
  add(name: string, by?: number): Promise<void>;
  read(name: string): Promise<number>;
}

export function counterStore({ db }: StoreContext): CounterStore {
  return {
    add: async (name, by = 1) => {
      await db
        .insertInto("counter")
        .values({ name, value: by })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: sql`counter.value + excluded.value` }))
        .execute();
    },
    read: async (name) => {
      const row = await db.selectFrom("counter").select("value").where("name", "=", name).executeTakeFirst();
      return row?.value ?? 0;
    },
  };
}
