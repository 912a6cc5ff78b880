/** People that accounts wrote to. Every change locks the account, so that none follows the end of the account's choice. */
import { randomUUID } from "node:crypto";
import type { Contact, ContactStore } from "../../core/contact.ts";
import type { InTransaction } from "../database.ts";
import { SealError } from "../sealing/seal.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import { openUserDocument } from "./accounts/user-document.ts";

interface ContactDocument {
  address: string;
  publicKey: string | null;
}

interface Remembered extends ContactDocument {
  userId: string;
  now: Date;
}

export function contactStore(context: StoreContext): ContactStore {
  const { db, keys } = context;
  /** @returns `null` while the account's choice is off */
  const whileOn = <T>(userId: string, work: (trx: InTransaction) => Promise<T>): Promise<T | null> =>
    db.transaction().execute(async (trx) => {
      const user = trx.selectFrom("user").selectAll().where("id", "=", userId);
      const row = await user.forNoKeyUpdate().executeTakeFirst();
      const isOn = row !== undefined && openUserDocument(keys, row).settings?.remembersContacts !== false;
      return isOn ? await work(trx) : null;
    });

  return {
    list: async (userId) => {
      const mine = db.selectFrom("contact").selectAll().where("user_id", "=", userId);
      const rows = await mine.orderBy("last_used_at", "desc").orderBy("id").execute();
      return rows.flatMap(({ id, sealed, last_used_at }): Contact[] => {
        const document = tryToOpen(keys, id, sealed);
        return document === null ? [] : [{ id, ...document, lastUsedAt: last_used_at }];
      });
    },
    remember: async (userId, addresses, { now, max }) => {
      await whileOn(userId, async (trx) => {
        for (const address of addresses) await put(keys, trx, { userId, now, address, publicKey: null }, true);
        await evict(trx, userId, max);
      });
    },
    put: (userId, contact, { now, max }) =>
      whileOn(userId, async (trx) => {
        const stored = await put(keys, trx, { userId, now, ...contact }, false);
        await evict(trx, userId, max);
        return stored;
      }),
    delete: async (userId, contactId) => {
      const gone = db.deleteFrom("contact").where("id", "=", contactId).where("user_id", "=", userId);
      return (await gone.returning("id").executeTakeFirst()) !== undefined;
    },
    deleteAll: async (userId) => {
      await db.deleteFrom("contact").where("user_id", "=", userId).execute();
    },
  };
}

/** @returns `null` for a row that can't be read, which is not shown */
function tryToOpen(keys: ServerKeys, id: string, sealed: Buffer): ContactDocument | null {
  try {
    const { address, publicKey } = keys.open<ContactDocument>("contact", id, sealed);
    return { address, publicKey };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

const indexOf = (keys: ServerKeys, userId: string, address: string) =>
  keys.blindIndex("contact.address", `${userId} ${address.normalize("NFC").toLowerCase()}`);

const put = async (
  keys: ServerKeys,
  trx: InTransaction,
  { userId, now, ...document }: Remembered,
  keepsKey: boolean,
) => {
  const address_index = indexOf(keys, userId, document.address);
  const mine = trx.selectFrom("contact").selectAll().where("user_id", "=", userId);
  const before = await mine.where("address_index", "=", address_index).executeTakeFirst();
  const id = before?.id ?? randomUUID();
  // A row that can't be read is replaced.
  const isSame = before !== undefined && keepsKey && tryToOpen(keys, before.id, before.sealed) !== null;
  const sealed = isSame ? before.sealed : keys.seal("contact", id, document);
  if (before === undefined)
    await trx.insertInto("contact").values({ id, user_id: userId, address_index, last_used_at: now, sealed }).execute();
  else await trx.updateTable("contact").set({ last_used_at: now, sealed }).where("id", "=", id).execute();
  return { id, ...document, lastUsedAt: now };
};

const evict = async (trx: InTransaction, userId: string, max: number) => {
  const old = trx.selectFrom("contact").select("id").where("user_id", "=", userId);
  const ids = old.orderBy("last_used_at", "desc").orderBy("id").offset(max);
  await trx.deleteFrom("contact").where("id", "in", ids).execute();
};
