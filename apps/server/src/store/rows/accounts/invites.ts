import { sql } from "kysely";
import type { Invite, InviteStore } from "../../../core/registration.ts";
import { bounds } from "../../../limits/table.ts";
import { latestKnown } from "../../../runtime/ports.ts";
import type { Database, InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";

type InviteDocument = Pick<Invite, "address">;

/** Key of the advisory lock that keeps two processes from exceeding the bound together. */
const INVITES_LOCK = 7_205_521;

export function inviteStore(context: StoreContext, openMax = bounds.openInvites.open): InviteStore {
  const { db, keys, clock } = context;
  const open = () => db.selectFrom("invitation").where("expires_at", ">", clock.now());
  return {
    insert: (invite, token) =>
      db.transaction().execute(async (trx) => {
        await sql`SELECT pg_advisory_xact_lock(${sql.lit(INVITES_LOCK)})`.execute(trx);
        if ((await countOpen(trx, clock.now())) >= openMax) return false;
        await trx
          .insertInto("invitation")
          .values(rowOf(context, invite, token))
          .execute();
        return true;
      }),
    find: async (token) => {
      const row = await open()
        .select(["id", "sealed"])
        .where("token_index", "=", tokenIndex(keys, token))
        .where("created_at", "<=", latestKnown(clock.now()))
        .executeTakeFirst();
      return row === undefined ? null : keys.open<InviteDocument>("invitation", row.id, row.sealed);
    },
    list: async () => {
      const rows = await open().selectAll().orderBy("expires_at").orderBy("id").execute();
      return rows.map(({ id, created_at: createdAt, expires_at: expiresAt, sealed }) => {
        return { id, createdAt, expiresAt, ...keys.open<InviteDocument>("invitation", id, sealed) };
      });
    },
    revoke: async (id) => {
      const open = db.deleteFrom("invitation").where("expires_at", ">", clock.now());
      return (await open.where("id", "=", id).executeTakeFirst()).numDeletedRows > 0n;
    },
    deleteExpired: async (now) => {
      const result = await db.deleteFrom("invitation").where("expires_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

const tokenIndex = (keys: StoreContext["keys"], token: string) => keys.blindIndex("invitation.token", token);

function rowOf({ keys }: StoreContext, { id, address, createdAt, expiresAt }: Invite, token: string) {
  const times = { created_at: createdAt, expires_at: expiresAt };
  const sealed = keys.seal("invitation", id, { address } satisfies InviteDocument);
  return { id, token_index: tokenIndex(keys, token), ...times, sealed };
}

async function countOpen(db: Database, now: Date): Promise<number> {
  const rows = db.selectFrom("invitation").where("expires_at", ">", now);
  const { count } = await rows.select((row) => row.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  return count;
}

/**
 * Creates an account and uses the invite up in one transaction. Concurrent calls with one invite wait for each other,
 * and one of them creates.
 * @returns false, with nothing changed, if the invite is unknown, used, revoked or expired, or `create` returned false
 */
export function createByInvite(
  { db, keys, clock }: StoreContext,
  token: string,
  create: (trx: InTransaction) => Promise<boolean>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const open = trx.selectFrom("invitation").select("id").where("expires_at", ">", clock.now());
    const mine = open.where("token_index", "=", tokenIndex(keys, token)).forUpdate();
    const invite = await mine.executeTakeFirst();
    if (invite === undefined || !(await create(trx))) return false;
    await trx.deleteFrom("invitation").where("id", "=", invite.id).execute();
    return true;
  });
}
