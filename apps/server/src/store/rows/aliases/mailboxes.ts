/** Stores the list of an account's mailboxes. Addresses are sealed; a row is found by the keyed hash of its address. */
import { randomUUID } from "node:crypto";
import type { ListedAddress, MailboxStore, StoredMailbox } from "../../../core/mailbox/mailbox.ts";
import { mapInSlices } from "../../../runtime/fair-queue/slices.ts";
import type { InTransaction } from "../../database.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfIds } from "../any-of.ts";
import { listedMailboxIndex } from "./mailbox-index.ts";

interface MailboxDocument {
  address: string;
}

/** Rows inserted per statement, well below PostgreSQL's limit of 65,535 parameters. */
const ROWS_AT_ONCE = 1000;

export function mailboxStore(context: StoreContext): MailboxStore {
  const { db, keys } = context;
  const ofUser = db.selectFrom("mailbox").select(["id", "added", "created_at", "sealed"]).where("user_id", "=", "");
  const byUser = preparedQuery(db, ofUser.orderBy("created_at").orderBy("id").compile());
  const toMailbox = (row: MailboxRow): StoredMailbox => ({
    id: row.id,
    address: keys.open<MailboxDocument>("mailbox", row.id, row.sealed).address,
    createdAt: row.created_at,
    isAdded: row.added,
  });
  return {
    list: async (userId) => mapInSlices(await byUser([userId]), toMailbox),
    insertMissing: async (userId, addresses) => {
      for (let from = 0; from < addresses.length; from += ROWS_AT_ONCE) {
        const rows = addresses.slice(from, from + ROWS_AT_ONCE).map((it) => newRow(context, userId, it));
        const query = db.insertInto("mailbox").values(rows);
        await query.onConflict((it) => it.constraint("mailbox_address_key").doNothing()).execute();
      }
    },
    deleteUnused: async (userId, ids) => {
      const query = db.deleteFrom("mailbox").where("user_id", "=", userId).where("id", "=", anyOfIds(ids));
      await query.where("added", "=", false).execute();
    },
    add: (userId, address, max) =>
      db.transaction().execute(async (trx) => {
        const row = await add(context, trx, { userId, address, max });
        return row === null ? null : toMailbox(row);
      }),
    delete: async (userId, id) => {
      const query = db.deleteFrom("mailbox").where("user_id", "=", userId).where("id", "=", id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

interface MailboxRow {
  id: string;
  added: boolean;
  created_at: Date;
  sealed: Buffer;
}

function newRow({ keys }: StoreContext, userId: string, { address, since }: ListedAddress) {
  const id = randomUUID();
  const document: MailboxDocument = { address };
  return {
    id,
    user_id: userId,
    mailbox_index: listedMailboxIndex(keys, address),
    added: false,
    created_at: since,
    sealed: keys.seal("mailbox", id, document),
  };
}

async function add(
  context: StoreContext,
  trx: InTransaction,
  { userId, address, max }: { userId: string; address: string; max: number },
): Promise<MailboxRow | null> {
  // The lock on the account's row allows one addition at a time, so that concurrent additions cannot exceed the
  // maximum.
  const user = trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate();
  if ((await user.executeTakeFirst()) === undefined) return null;
  const row = { ...newRow(context, userId, { address, since: context.clock.now() }), added: true };
  const others = await trx
    .selectFrom("mailbox")
    .select((it) => it.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("added", "=", true)
    .where("mailbox_index", "<>", row.mailbox_index)
    .executeTakeFirstOrThrow();
  if (others.count >= max) return null;
  return await trx
    .insertInto("mailbox")
    .values(row)
    .onConflict((it) => it.constraint("mailbox_address_key").doUpdateSet({ added: true }))
    .returning(["id", "added", "created_at", "sealed"])
    .executeTakeFirstOrThrow();
}
