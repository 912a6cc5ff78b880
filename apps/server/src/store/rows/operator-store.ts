import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuthMethod, OperatorActCode, OperatorActWire } from "@kauke/contract";
import { sql } from "kysely";
import { bounds } from "../../limits/table.ts";
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
  isAdmin: boolean;
}

export interface ActToRecord {
  /** `command`, or the id of an admin's account. */
  by: string;
  act: OperatorActCode;
  /** Id of an account or invitation, host, or a file's base name; never an e-mail address. */
  on: string | null;
}

export interface OperatorStore {
  listUsers(page: { after: string | null; limit: number }): Promise<OperatorUser[]>;
  findUser(id: string): Promise<OperatorUser | null>;
  /** Lifts the block of a mailbox. @returns false when it was not blocked */
  unblockMailbox(address: string): Promise<boolean>;
  /** @returns false when there is no such account */
  setAdmin(userId: string, isAdmin: boolean): Promise<boolean>;
  /** Above the bound of rows, the oldest of one party's most frequent acts is deleted. */
  recordAct(act: ActToRecord): Promise<void>;
  /** The newest acts first. */
  listActs(limit: number): Promise<OperatorActWire[]>;
  deleteActsBefore(before: Date): Promise<number>;
  migrations(): Promise<MigrationState>;
}

export function operatorStore(context: StoreContext, actsMax = bounds.operatorActs.rows): OperatorStore {
  return {
    listUsers: ({ after, limit }) => readUsers(context, { after, id: null, limit }),
    findUser: async (id) => (await readUsers(context, { after: null, id, limit: 1 }))[0] ?? null,
    unblockMailbox: (address) => unblockMailbox(context, address),
    setAdmin: (userId, isAdmin) => setAdmin(context, userId, isAdmin),
    recordAct: (act) => recordAct(context, act, actsMax),
    listActs: (limit) => listActs(context, limit),
    deleteActsBefore: async (before) => {
      const result = await context.db.deleteFrom("operator_act").where("at", "<", before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
    migrations: () => migrationState(context.db),
  };
}

async function readUsers(
  { db, keys }: StoreContext,
  { after, id, limit }: { after: string | null; id: string | null; limit: number },
): Promise<OperatorUser[]> {
  let query = db
    .selectFrom("user")
    .select(["id", "auth_method", "created_at", "is_admin", "sealed"])
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
    isAdmin: row.is_admin,
    email: keys.open<{ email: string | null }>("user", row.id, row.sealed).email,
  }));
}

async function setAdmin({ db, clock }: StoreContext, userId: string, isAdmin: boolean): Promise<boolean> {
  const change = { is_admin: isAdmin, updated_at: clock.now() };
  const result = await db.updateTable("user").set(change).where("id", "=", userId).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Opened without letting other work run. */
const ACTS_OF_A_TURN = 500;

type ActDocument = Pick<ActToRecord, "on">;

async function recordAct({ db, keys, clock }: StoreContext, { by, act, on }: ActToRecord, max: number): Promise<void> {
  const id = randomUUID();
  const sealed = keys.seal("operator_act", id, { on } satisfies ActDocument);
  await db.insertInto("operator_act").values({ id, at: clock.now(), by, act, sealed }).execute();
  // Whoever repeats cheap acts to hide another one deletes only those.
  await sql`
    DELETE FROM operator_act WHERE id IN (
      SELECT id FROM (
        SELECT id, at, row_number() OVER (PARTITION BY "by", act ORDER BY at DESC, id) AS nth FROM operator_act
      ) counted ORDER BY nth DESC, at
      LIMIT greatest((SELECT count(*) FROM operator_act) - ${max}::integer, 0))`.execute(db);
}

async function listActs({ db, keys }: StoreContext, limit: number): Promise<OperatorActWire[]> {
  const newest = db.selectFrom("operator_act").selectAll().orderBy("at", "desc").orderBy("id").limit(limit);
  const acts: OperatorActWire[] = [];
  for (const { id, at, by, act, sealed } of await newest.execute()) {
    const { on } = keys.open<ActDocument>("operator_act", id, sealed);
    acts.push({ at: at.toISOString(), by, act, on });
    if (acts.length % ACTS_OF_A_TURN === 0) await nextTurn();
  }
  return acts;
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
  set(name: string, value: number): Promise<void>;
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
    set: async (name, value) => {
      const insert = db.insertInto("counter").values({ name, value });
      await insert.onConflict((conflict) => conflict.column("name").doUpdateSet({ value })).execute();
    },
    read: async (name) => {
      const row = await db.selectFrom("counter").select("value").where("name", "=", name).executeTakeFirst();
      return row?.value ?? 0;
    },
  };
}
