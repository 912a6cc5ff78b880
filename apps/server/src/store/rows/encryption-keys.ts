/** Encryption keys. Every change locks the account's row, so that exactly one key stays the default. */

import { aliasAddress } from "../../core/alias/alias.ts";
import { AppError } from "../../core/app-error.ts";
import type { EncryptionKey, EncryptionKeyStore, NewEncryptionKey } from "../../core/encryption-key.ts";
import type { EncryptionKeyTable, InTransaction } from "../database.ts";
import { FOREIGN_KEY_VIOLATION, isDatabaseError } from "../database-error.ts";
import type { StoreContext } from "../store-context.ts";
import type { AliasDocument } from "./aliases/alias-document.ts";

interface KeyDocument {
  keyName: string;
  publicKey: string;
  encryptedPrivateKey: string;
}

type KeyRow = Pick<EncryptionKeyTable, "id" | "user_id" | "created_at" | "sealed"> & { is_default: boolean };

export function encryptionKeyStore(context: StoreContext): EncryptionKeyStore {
  const { db } = context;
  const ofUser = (userId: string) => db.selectFrom("encryption_key").selectAll().where("user_id", "=", userId);
  return {
    listForUser: async (userId) => {
      const rows = await ofUser(userId).orderBy("created_at", "desc").orderBy("id").execute();
      return rows.map((row) => toKey(row, open(context, row)));
    },
    count: (userId) => countKeys(db, userId),
    find: async (userId, keyId) => {
      const row = await ofUser(userId).where("id", "=", keyId).executeTakeFirst();
      if (row === undefined) return null;
      const document = open(context, row);
      return { ...toKey(row, document), encryptedPrivateKey: document.encryptedPrivateKey };
    },
    insert: (key, max) => inTurn(context, key.userId, (trx) => insertKey(context, trx, { key, max })),
    makeDefault: (userId, keyId) => inTurn(context, userId, (trx) => makeDefault(context, trx, { userId, keyId })),
    delete: async (userId, keyId) =>
      (await withKeyInUseError(() => inTurn(context, userId, (trx) => deleteKey(context, trx, { userId, keyId })))) ??
      false,
  };
}

function open({ keys }: StoreContext, row: KeyRow): KeyDocument {
  return openKeyDocument(keys, row);
}

export function openKeyDocument(keys: StoreContext["keys"], row: Pick<KeyRow, "id" | "sealed">): KeyDocument {
  return keys.open<KeyDocument>("encryption_key", row.id, row.sealed);
}

export async function lockKey(trx: InTransaction, userId: string, keyId: string): Promise<boolean> {
  const own = trx.selectFrom("encryption_key").select("id").where("user_id", "=", userId).where("id", "=", keyId);
  return (await own.forKeyShare().executeTakeFirst()) !== undefined;
}

function toKey(row: KeyRow, { keyName, publicKey }: KeyDocument): EncryptionKey {
  const { id, user_id: userId, is_default: isDefault, created_at: createdAt } = row;
  return { id, userId, keyName, publicKey, isDefault, createdAt };
}

/** Serialises changes of an account's keys. @returns `null` also when the account does not exist */
function inTurn<T>(
  { db }: StoreContext,
  userId: string,
  change: (trx: InTransaction) => Promise<T | null>,
): Promise<T | null> {
  return db.transaction().execute(async (trx) => {
    // This lock does not block inserts of rows that refer to the account.
    const account = trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate();
    return (await account.executeTakeFirst()) === undefined ? null : await change(trx);
  });
}

async function countKeys(db: Pick<InTransaction, "selectFrom">, userId: string): Promise<number> {
  const row = await db
    .selectFrom("encryption_key")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return row.count;
}

async function insertKey(
  { keys }: StoreContext,
  trx: InTransaction,
  { key, max }: { key: NewEncryptionKey; max: number },
): Promise<EncryptionKey | null> {
  const { id, userId, keyName, publicKey, encryptedPrivateKey, createdAt } = key;
  const count = await countKeys(trx, userId);
  if (count >= max) return null;
  const isDefault = key.isDefault || count === 0;
  if (isDefault) await clearDefault(trx, userId);
  const document: KeyDocument = { keyName, publicKey, encryptedPrivateKey };
  const sealed = keys.seal("encryption_key", id, document);
  const row = { id, user_id: userId, is_default: isDefault, created_at: createdAt, sealed };
  await trx.insertInto("encryption_key").values(row).execute();
  return toKey(row, document);
}

async function makeDefault(
  context: StoreContext,
  trx: InTransaction,
  { userId, keyId }: { userId: string; keyId: string },
): Promise<EncryptionKey | null> {
  const own = trx.selectFrom("encryption_key").selectAll().where("user_id", "=", userId);
  const row = await own.where("id", "=", keyId).executeTakeFirst();
  if (row === undefined) return null;
  await clearDefault(trx, userId);
  await setDefault(trx, keyId);
  return toKey({ ...row, is_default: true }, open(context, row));
}

/** Turns a violated foreign key into `key_in_use`: the key was chosen while it was being deleted. */
async function withKeyInUseError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseError(error, FOREIGN_KEY_VIOLATION)) throw new AppError("key_in_use");
    throw error;
  }
}

const NAMED_MAX = 5;

/** @throws AppError `key_in_use`, whose message names where the key is used */
async function refuseIfUsed(
  { keys }: StoreContext,
  trx: InTransaction,
  { userId, keyId }: { userId: string; keyId: string },
): Promise<void> {
  const account = trx.selectFrom("user").select("id").where("id", "=", userId).where("seal_key_id", "=", keyId);
  const places = (await account.executeTakeFirst()) === undefined ? [] : ["all your aliases (in Settings)"];
  const aliases = trx.selectFrom("alias").select(["id", "sealed"]).where("user_id", "=", userId);
  const rows = await aliases.where("seal_key_id", "=", keyId).orderBy("created_at").orderBy("id").execute();
  for (const { id, sealed } of rows.slice(0, NAMED_MAX)) {
    const { name, domain } = keys.open<AliasDocument>("alias", id, sealed);
    places.push(aliasAddress(name, domain));
  }
  if (rows.length > NAMED_MAX) places.push(`${rows.length - NAMED_MAX} more`);
  if (places.length === 0) return;
  const message = `Forwarded mail is encrypted to this key for ${places.join(", ")}. Choose another key there first, or switch encryption off.`;
  throw new AppError("key_in_use", { message });
}

async function deleteKey(
  context: StoreContext,
  trx: InTransaction,
  { userId, keyId }: { userId: string; keyId: string },
): Promise<boolean> {
  await refuseIfUsed(context, trx, { userId, keyId });
  const gone = await trx
    .deleteFrom("encryption_key")
    .where("id", "=", keyId)
    .where("user_id", "=", userId)
    .returning("is_default")
    .executeTakeFirst();
  if (gone === undefined) return false;
  if (!gone.is_default) return true;
  const left = trx.selectFrom("encryption_key").select("id").where("user_id", "=", userId);
  const newest = await left.orderBy("created_at", "desc").orderBy("id").limit(1).executeTakeFirst();
  if (newest !== undefined) await setDefault(trx, newest.id);
  return true;
}

async function clearDefault(trx: InTransaction, userId: string): Promise<void> {
  const old = trx.updateTable("encryption_key").set({ is_default: false });
  await old.where("user_id", "=", userId).where("is_default", "=", true).execute();
}

async function setDefault(trx: InTransaction, keyId: string): Promise<void> {
  await trx.updateTable("encryption_key").set({ is_default: true }).where("id", "=", keyId).execute();
}
