import type { KeyScope } from "@kauke/contract";
import { sql } from "kysely";
import type { ApiKey, ApiKeyStore } from "../../../core/api-key.ts";
import type { ApiKeyTable, InTransaction } from "../../database.ts";
import { FOREIGN_KEY_VIOLATION, isDatabaseError } from "../../database-error.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";

interface ApiKeyDocument {
  name: string;
}

/** This commit does not wait for the disk (`login-sessions.ts`): a crash loses at most a day of use. */
export const isCommittedWithoutFsync = sql<boolean>`set_config('synchronous_commit', 'off', true) = 'off'`;

const scopesOf = (row: Pick<ApiKeyTable, "scopes">) => row.scopes.split(" ") as KeyScope[];

export function apiKeyStore(context: StoreContext): ApiKeyStore {
  const { db, keys } = context;
  const ofHash = db
    .selectFrom("api_key")
    .select(["id", "user_id", "scopes", "expires_at", "last_used_on"])
    .where("key_hash", "=", Buffer.alloc(0));
  const byHash = preparedQuery(db, ofHash.compile());
  const noting = new Set<string>();
  return {
    listForUser: async (userId) => {
      const query = db.selectFrom("api_key").selectAll().where("user_id", "=", userId);
      const rows = await query.orderBy("created_at", "desc").orderBy("id").execute();
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        name: keys.open<ApiKeyDocument>("api_key", row.id, row.sealed).name,
        scopes: scopesOf(row),
        expiresAt: row.expires_at,
        lastUsedOn: row.last_used_on,
        createdAt: row.created_at,
      }));
    },
    insert: (key, max) => insertKey(context, key, max),
    find: async (hash) => {
      const [row] = await byHash([hash]);
      if (row === undefined) return null;
      const { id, user_id: userId, expires_at: expiresAt, last_used_on: lastUsedOn } = row;
      return { id, userId, scopes: scopesOf(row), expiresAt, lastUsedOn };
    },
    noteUse: async (keyId, day) => {
      if (noting.has(keyId)) return;
      noting.add(keyId);
      try {
        const mine = db.updateTable("api_key").set({ last_used_on: day }).where("id", "=", keyId);
        const query = mine.where((row) => row("last_used_on", "is distinct from", day));
        await query.where(isCommittedWithoutFsync).execute();
      } finally {
        noting.delete(keyId);
      }
    },
    deleteById: async (userId, keyId) => {
      const query = db.deleteFrom("api_key").where("user_id", "=", userId).where("id", "=", keyId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    deleteForUser: (userId) => revokeKeys(db, userId),
    deleteExpired: async (before) => {
      const result = await db.deleteFrom("api_key").where("expires_at", "<", before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

export async function revokeKeys(db: Pick<InTransaction, "deleteFrom">, userId: string): Promise<number> {
  const query = db.deleteFrom("api_key").where("user_id", "=", userId);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Inserts an API key under the account's lock, so that concurrent requests do not exceed the maximum. */
async function insertKey(
  { db, keys }: StoreContext,
  { id, userId, name, scopes, expiresAt, lastUsedOn, createdAt, hash }: ApiKey & { hash: Buffer },
  max: number,
): Promise<boolean> {
  const document: ApiKeyDocument = { name };
  const row = {
    id,
    user_id: userId,
    key_hash: hash,
    scopes: scopes.join(" "),
    expires_at: expiresAt,
    last_used_on: lastUsedOn,
    created_at: createdAt,
    sealed: keys.seal("api_key", id, document),
  };
  try {
    return await db.transaction().execute(async (trx) => {
      const account = trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate();
      if ((await account.executeTakeFirst()) === undefined) return false;
      const mine = trx.selectFrom("api_key").select((row) => row.fn.countAll<number>().as("count"));
      const { count } = await mine.where("user_id", "=", userId).executeTakeFirstOrThrow();
      if (count >= max) return false;
      await trx.insertInto("api_key").values(row).execute();
      return true;
    });
  } catch (thrown) {
    if (isDatabaseError(thrown, FOREIGN_KEY_VIOLATION)) return false;
    throw thrown;
  }
}
