/** Inserts many sealed rows at once, for tests and benchmarks of the cost of large accounts and servers. */
import { randomBytes, randomUUID } from "node:crypto";
import { aliasAddress } from "../core/alias/alias.ts";
import type { Database } from "./database.ts";
import { openEmbedded } from "./embedded/embedded-database.ts";
import { documentOfNew } from "./rows/aliases/alias-document.ts";
import { anAlias, aUser } from "./rows.testing.ts";
import { embeddedSecretKey } from "./sealing/secret-key.ts";
import { type KeyRing, readKeys, serverKeys } from "./sealing/server-keys.ts";

const ROWS_AT_ONCE = 500;

interface Place {
  db: Database;
  keys: KeyRing;
}

/** Runs `work` on the embedded database of a directory that no process has open. */
export async function inDirectory<T>(dataDir: string, work: (place: Place) => Promise<T>): Promise<T> {
  const { db, close } = await openEmbedded(dataDir);
  try {
    return await work({ db, keys: serverKeys(await readKeys(db, await embeddedSecretKey(dataDir, null))) });
  } finally {
    await close();
  }
}

/** Inserts aliases of the account. @returns the addresses of the new aliases */
export async function plantAliases({ db, keys }: Place, userId: string, count: number): Promise<string[]> {
  const addresses: string[] = [];
  await inBatches(count, async (some) => {
    const aliases = some.map(() => anAlias(userId, { notes: "shop with the blue door" }));
    const rows = aliases.map((alias) => {
      const address = aliasAddress(alias.name, alias.domain);
      addresses.push(address);
      return {
        id: alias.id,
        user_id: userId,
        active: true,
        created_at: alias.createdAt,
        address_index: keys.blindIndex("alias.address", address),
        sealed: keys.seal("alias", alias.id, documentOfNew(alias, randomBytes)),
      };
    });
    await db.insertInto("alias").values(rows).execute();
  });
  return addresses;
}

export async function plantUsers({ db, keys }: Place, count: number): Promise<void> {
  await inBatches(count, async (some) => {
    const rows = some.map(() => {
      const { email, authMethod, createdAt, ...rest } = aUser();
      const id = randomUUID();
      return {
        id,
        auth_method: authMethod,
        created_at: createdAt,
        updated_at: createdAt,
        email_index: keys.blindIndex("user.email", String(email)),
        wallet_index: null,
        google_index: null,
        sealed: keys.seal("user", id, { ...rest, email }),
      };
    });
    await db.insertInto("user").values(rows).execute();
  });
}

async function inBatches(count: number, plant: (some: readonly number[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += ROWS_AT_ONCE)
    await plant(Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, n) => from + n));
}
