/**
 * The wrapping key: `KAUKE_SECRET_KEY`, or `secret.key` beside the embedded database, made at the first start. Data and
 * key reveal everything together, so a file that others may read is refused.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { underStartLock } from "../migrate.ts";
import { syncDirectory } from "../queue/bodies/spool-files.ts";
import { StoreStartError } from "../start-error.ts";
import { unwrapKey, wrapKey } from "./server-keys.ts";

const KEY_BYTES = 32;

/** Reads or makes the wrapping key. @param given takes precedence over the file @throws StoreStartError */
export async function embeddedSecretKey(dataDir: string, given: Buffer | null): Promise<Buffer> {
  if (given !== null) return checkedLength(given);
  const path = join(dataDir, "secret.key");
  if (existsSync(path)) return await readKeyFile(path);
  if (existsSync(join(dataDir, "db")))
    throw new StoreStartError(
      "secret_key_missing",
      "The data directory holds a database but no secret.key. Put the file back, or set KAUKE_SECRET_KEY to the key this data was made with.",
    );
  return await makeKeyFile(dataDir, path);
}

/** Checks the wrapping key for PostgreSQL, which has no key file. @throws StoreStartError */
export function givenSecretKey(given: Buffer | null): Buffer {
  if (given !== null) return checkedLength(given);
  throw new StoreStartError(
    "secret_key_missing",
    "With DATABASE_URL the key must be given: set KAUKE_SECRET_KEY to 32 random bytes in base64.",
  );
}

function checkedLength(key: Buffer): Buffer {
  if (key.length === KEY_BYTES) return key;
  throw new StoreStartError("secret_key_wrong", "KAUKE_SECRET_KEY must be 32 bytes in base64.");
}

async function readKeyFile(path: string): Promise<Buffer> {
  const { mode } = await stat(path);
  // Windows always reports that other users have access.
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new StoreStartError(
      "secret_key_readable",
      "secret.key in the data directory may be read by other users. Set its mode to 0600, or give KAUKE_SECRET_KEY instead.",
    );
  const key = Buffer.from((await readFile(path, "utf8")).trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new StoreStartError(
    "secret_key_wrong",
    "secret.key in the data directory is damaged: it must hold 32 bytes in base64. Put the right file back, or give KAUKE_SECRET_KEY.",
  );
}

/** The key file is on stable storage before anything is sealed with the key. */
async function makeKeyFile(dataDir: string, path: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeKeyFile(dataDir, path, key);
  return key;
}

async function writeKeyFile(dataDir: string, path: string, key: Buffer): Promise<void> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, "wx", 0o600);
  try {
    await handle.writeFile(`${key.toString("base64")}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path);
  await syncDirectory(dataDir);
}

/** The new key's file, beside the current one until all keys are re-wrapped; a kill leaves it. */
const NEXT = "secret.key.next";

/** Replaces the key file. @param rewrap wraps all keys anew, in one commit */
export async function replaceKeyFile(dataDir: string, rewrap: (key: Buffer) => Promise<void>): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeKeyFile(dataDir, join(dataDir, NEXT), key);
  await rewrap(key);
  await promoteNextKey(dataDir);
  return key;
}

/** Completes or discards a replacement that a kill interrupted. @returns the key that wraps the stored keys */
export async function settleKeyFile(
  dataDir: string,
  key: Buffer,
  fits: (key: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  const path = join(dataDir, NEXT);
  if (!existsSync(path)) return key;
  const next = await readKeyFile(path);
  if (!(await fits(next))) {
    await rm(path);
    return key;
  }
  await promoteNextKey(dataDir);
  return next;
}

async function promoteNextKey(dataDir: string): Promise<void> {
  await rename(join(dataDir, NEXT), join(dataDir, "secret.key"));
  await syncDirectory(dataDir);
}

export function rewrapKeys(db: Database, { from, to }: { from: Buffer; to: Buffer }): Promise<void> {
  return underStartLock(db, async (trx) => {
    const rows = await trx.selectFrom("server_key").selectAll().execute();
    for (const { id, wrapped } of rows) {
      const anew = wrapKey(to, id, unwrapKey(from, id, wrapped));
      await trx.updateTable("server_key").set({ wrapped: anew }).where("id", "=", id).execute();
    }
  });
}

export async function isWrappedBy(db: Database, secretKey: Buffer): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`SELECT to_regclass('server_key')::text AS found`.execute(db);
  if ((rows[0]?.found ?? null) === null) return false;
  const row = await db.selectFrom("server_key").selectAll().limit(1).executeTakeFirst();
  try {
    return row !== undefined && unwrapKey(secretKey, row.id, row.wrapped).length > 0;
  } catch {
    return false;
  }
}
