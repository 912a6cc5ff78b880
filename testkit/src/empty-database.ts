/**
 * Makes the database that test servers start with: it has tables but no rows. There is one for each version of the
 * embedded database and each set of migrations, stored beside the installed packages. The store's own tests cover a
 * first start without it.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { embeddedSecretKey } from "@kauke/server/store/sealing/secret-key";

const installed = fileURLToPath(new URL("../../node_modules", import.meta.url));
const store = fileURLToPath(new URL("../../apps/server/src/store", import.meta.url));
const program = join(store, "embedded/empty-database.testing.ts");

/** Runs once before a test run; the processes of the run find the folder in EMPTY_DATABASE. */
export async function setup(): Promise<void> {
  const folder = join(installed, `.kauke-empty-database-${await versionOf()}`);
  if (!existsSync(folder)) await make(folder);
  process.env.EMPTY_DATABASE = folder;
}

/** @returns a hash of everything the empty database depends on */
async function versionOf(): Promise<string> {
  const migrations = (await readdir(join(store, "migrations"))).sort().map((name) => join(store, "migrations", name));
  const hash = createHash("sha256");
  for (const file of [join(installed, "@electric-sql/pglite/package.json"), program, ...migrations]) {
    hash.update(`${basename(file)}\n`).update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 12);
}

async function make(folder: string): Promise<void> {
  const unfinished = await mkdtemp(join(dirname(folder), ".kauke-unfinished-"));
  await promisify(execFile)(process.execPath, [program, unfinished], { timeout: 120_000 });
  // Another test run may have put its database there first; both databases are identical.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  if (!existsSync(folder)) throw new Error(`the empty database could not be put at ${folder}`);
}

/**
 * Copies the empty database into a data directory that has none, and adds a key unless the settings contain one. This
 * saves the slowest step of a first start. Does nothing in a run without an empty database.
 */
export async function putEmptyDatabase(
  dataDir: string,
  { DATABASE_URL: elsewhere, KAUKE_SECRET_KEY: givenKey }: Readonly<Record<string, string>>,
): Promise<void> {
  const { EMPTY_DATABASE: folder } = process.env;
  const database = join(dataDir, "db");
  if (folder === undefined || elsewhere !== undefined || existsSync(database)) return;
  if (givenKey === undefined) await embeddedSecretKey(dataDir, null);
  await cp(join(folder, "db"), database, { recursive: true });
}
