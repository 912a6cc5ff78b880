/**
 * What a thief of the data directory can find of a deleted account: all files are searched for the bytes that the
 * account's rows held, sealed columns and keyed hashes alike.
 */
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeSignals } from "@kauke/server/store/change-signals";
import type { Database } from "@kauke/server/store/database";
import { erasedTables } from "@kauke/server/store/embedded/embedded-erasure";
import { openStore, type Store } from "@kauke/server/store/open-store";
import { inDirectory } from "@kauke/server/store/planted-rows.testing";
import { plantAccount } from "@kauke/server/store/rows/accounts/account-rows.testing";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { logSpy } from "@kauke/testkit/log-spy";
import { sql } from "kysely";
import { afterAll, expect, onTestFinished, test } from "vitest";

const HOUR_MS = 3_600_000;
/**
 * Length of the byte strings searched for: long enough not to occur in a file by chance, short enough to lie within one
 * page.
 */
const NEEDLE_BYTES = 16;
/** Tables of an account's rows that have no sealed value and no hash. */
const tablesOfNumbers = new Set(["alias_number", "mailbox_number", "client_number_last", "email_attachment"]);
/** Tables that keep keyed hashes for 30 days, as documented: released addresses, and counts of rate limits. */
const keptTables = new Set(["released_address", "rate_limit"]);

const clock = { now: () => new Date(Date.now() + laterMs) };
let laterMs = 0;

/** Bytes of an account's row that must not be found in any file after its deletion. */
interface Needle {
  /**
   * Table, column and offset of the bytes, e.g. `alias.address_index 0`; in a sealed value 0 stands for 4, after the
   * key's id.
   */
  name: string;
  bytes: Buffer;
}

async function openIn(dataDir: string): Promise<Store> {
  return openStore({ dataDir, databaseUrl: null, secretKey: null, clock, logger: logSpy() });
}

/** @returns byte strings from the beginning, middle and end of every bytea value in the account's rows */
async function needlesOf(
  db: Database,
  account: { userId: string; aliasId: string; messageId: string; importId: string; domainId: string },
): Promise<Needle[]> {
  const needles: Needle[] = [];
  const { rows: columns } = await sql<{ table: string; column: string }>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'bytea' AND table_name <> 'server_key'`.execute(db);
  const ids = Object.values(account);
  for (const { table, column } of columns) {
    if (keptTables.has(table)) continue;
    const { rows } = await sql<{
      value: Buffer | null;
    }>`SELECT ${sql.ref(column)} AS value FROM ${sql.table(table)} AS row
      WHERE row_to_json(row)::text LIKE ANY (${ids.map((id) => `%${id}%`)}::text[])`.execute(db);
    for (const { value } of rows) if (value !== null) needles.push(...cut(`${table}.${column}`, value));
  }
  return needles;
}

function cut(name: string, value: Buffer): Needle[] {
  const last = Math.max(0, value.length - NEEDLE_BYTES);
  const places = [...new Set([0, Math.floor(last / 2), last])];
  // Leaves out the first four bytes of a sealed value: the key's id, which is the same in every row.
  return places.map((at) => {
    const start = name.endsWith(".sealed") ? Math.min(last, Math.max(4, at)) : at;
    return { name: `${name} ${at}`, bytes: value.subarray(start, start + NEEDLE_BYTES) };
  });
}

/** @returns the names of the needles found in any file, each with the file */
async function findIn(dataDir: string, needles: readonly Needle[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const search = searchFor(needles);
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // A file that is deleted while the directory is searched counts as empty.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    for (const name of search(content)) found.set(name, path.slice(dataDir.length));
  }
  return found;
}

/** Searches for all needles in one pass: a full comparison is made only where the first two bytes match. */
function searchFor(needles: readonly Needle[]): (content: Buffer) => string[] {
  const byStart = new Map<number, Needle[]>();
  const isStart = new Uint8Array(65_536);
  for (const needle of needles) {
    const start = needle.bytes.readUInt16BE();
    isStart[start] = 1;
    byStart.set(start, [...(byStart.get(start) ?? []), needle]);
  }
  return (content) => {
    const names: string[] = [];
    let start = content[0] ?? 0;
    for (let at = 1; at < content.length; at += 1) {
      start = ((start << 8) | (content[at] as number)) & 0xffff;
      if (isStart[start] === 0) continue;
      for (const { name, bytes } of byStart.get(start) ?? [])
        if (bytes.equals(content.subarray(at - 1, at - 1 + bytes.length))) names.push(name);
    }
    return names;
  };
}

async function expectErased(dataDir: string, needles: readonly Needle[]): Promise<void> {
  let left = needles;
  const search = async () => {
    const found = await findIn(dataDir, left);
    left = left.filter(({ name }) => found.has(name));
    return [...found];
  };
  await expect.poll(search, { timeout: 90_000, interval: 1000 }).toEqual([]);
  expect([...(await findIn(dataDir, needles))]).toEqual([]);
}

const tablesOf = (found: Iterable<string>) =>
  [...new Set([...found].map((name) => name.split(".")[0] as string))].sort();

let planted: ReturnType<typeof plantAccounts> | null = null;
afterAll(async () => {
  if (planted !== null) await rm((await planted).dataDir, { recursive: true, force: true });
});

/** A copy of the data directory with ten accounts. */
async function plantedDirectory() {
  laterMs = 0;
  planted ??= plantAccounts();
  const { dataDir: original, ...accounts } = await planted;
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-deletion-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await cp(original, dataDir, { recursive: true });
  return { dataDir, ...accounts };
}

/** Makes a data directory with ten accounts, so that the database's statistics hold samples of their columns. */
async function plantAccounts() {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-deletion-"));
  await putEmptyDatabase(dataDir, {});
  await (await openIn(dataDir)).close();
  const accounts = await inDirectory(dataDir, async ({ db, keys }) => {
    const context = { db, keys, clock, signals: changeSignals({ notify: false }) };
    const made = [];
    // Two tables get no rows: bodies are files in this store, and the blocking of a mailbox belongs to no account.
    for (let count = 0; count < 10; count += 1)
      made.push(await plantAccount(context, { without: ["message_chunk", "blocked_mailbox"] }));
    const [ann, bob] = [made[4], made[5]];
    if (ann === undefined || bob === undefined) throw new Error("no accounts");
    // A value large enough to be stored out of line (TOAST), in chunks whose borders do not fall into a needle.
    const large = randomBytes(5900);
    await db.updateTable("encryption_key").set({ sealed: large }).where("user_id", "=", ann.userId).execute();
    await sql`ANALYZE`.execute(db);
    return {
      ann: { ...ann, needles: await needlesOf(db, ann) },
      bob: { ...bob, needles: await needlesOf(db, bob) },
      tables: ann.planted.filter((table) => !keptTables.has(table) && !tablesOfNumbers.has(table)),
    };
  });
  return { dataDir, ...accounts };
}

/**
 * Whether the needle is kept for 30 days: a keyed hash of one of the account's alias addresses, or what is known of a
 * copy that a forwarding provider may still have.
 */
const isKept = ({ name }: Needle) => name.startsWith("alias.address_index") || name.startsWith("provider_alias.");

test("two hours after an account was deleted no file holds a byte of its rows, and no other account lost any", {
  timeout: 120_000,
}, async () => {
  const { dataDir, ann, bob, tables } = await plantedDirectory();
  const store = await openIn(dataDir);
  const needles = ann.needles.filter((needle) => !isKept(needle));
  try {
    // Control: the search finds every column of every table while the rows exist.
    expect([...(await findIn(dataDir, ann.needles)).keys()].sort()).toEqual(ann.needles.map(({ name }) => name).sort());
    expect(tablesOf(ann.needles.map(({ name }) => name))).toEqual([...tables].sort());
    await store.users.delete(ann.userId);
    // Control: a deletion alone erases no bytes.
    expect((await findIn(dataDir, ann.needles)).size).toBe(ann.needles.length);
    laterMs = 2 * HOUR_MS;
    await expectErased(dataDir, needles);
    expect((await findIn(dataDir, bob.needles)).size).toBe(bob.needles.length);
    expect(await store.users.find(bob.userId)).not.toBeNull();
    expect((await findIn(dataDir, ann.needles.filter(isKept))).size).toBeGreaterThan(0);
    laterMs = 31 * 24 * HOUR_MS;
    await store.maintenance();
    laterMs += 2 * HOUR_MS;
    await expectErased(dataDir, ann.needles);
  } finally {
    await store.close();
  }
  expect([...(await findIn(dataDir, ann.needles))]).toEqual([]);
  const again = await openIn(dataDir);
  expect((await again.aliases.listForUser(bob.userId)).map(({ id }) => id)).toEqual([bob.aliasId]);
  await again.close();
});

test("every table with sealed values, hashes or keys is among the erased tables", async () => {
  const { dataDir } = await plantedDirectory();
  const tables = await inDirectory(dataDir, async ({ db }) => {
    const { rows } = await sql<{ name: string }>`SELECT DISTINCT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'bytea'`.execute(db);
    return rows.map(({ name }) => name);
  });
  expect([...erasedTables].sort()).toEqual(tables.sort());
});

test("the last account of a server leaves no sample of its columns behind", { timeout: 120_000 }, async () => {
  const { dataDir, ann, bob } = await plantedDirectory();
  const store = await openIn(dataDir);
  try {
    const ids = await inUse(store);
    for (const id of ids) await store.users.delete(id);
    laterMs = 2 * HOUR_MS;
    await expectErased(
      dataDir,
      [...ann.needles, ...bob.needles].filter((needle) => !isKept(needle)),
    );
  } finally {
    await store.close();
  }

  async function inUse({ operator }: Store): Promise<string[]> {
    return (await operator.listUsers({ after: null, limit: 100 })).map(({ id }) => id);
  }
});

test("rows deleted before the process ended are erased from the files after the next start", {
  timeout: 120_000,
}, async () => {
  const { dataDir, ann } = await plantedDirectory();
  const first = await openIn(dataDir);
  await first.users.delete(ann.userId);
  await first.close();
  expect((await findIn(dataDir, ann.needles)).size).toBeGreaterThan(0);
  const store = await openIn(dataDir);
  try {
    laterMs = 2 * HOUR_MS;
    await expectErased(
      dataDir,
      ann.needles.filter((needle) => !isKept(needle)),
    );
  } finally {
    await store.close();
  }
});
