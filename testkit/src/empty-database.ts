/**
 * The empty database that test servers begin with. Made once per version of the embedded database, kept beside the installed
 * packages. What a first start makes is tested beside the store, without it.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { embeddedSecretKey } from "@kauke/server/store/secret-key";

const installed = fileURLToPath(new URL("../../node_modules", import.meta.url));
const program = fileURLToPath(new URL("../../apps/server/src/store/empty-database.testing.ts", import.meta.url));

/** Before a test run: the processes of the run find the folder in EMPTY_DATABASE. */
export async function setup(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(installed, "@electric-sql/pglite/package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(installed, `.kauke-empty-database-${version}`);
  if (!existsSync(folder)) await make(folder);
  process.env.EMPTY_DATABASE = folder;
}

async function make(folder: string): Promise<void> {
  const unfinished = await mkdtemp(join(dirname(folder), ".kauke-unfinished-"));
  await promisify(execFile)(process.execPath, [program, unfinished], { timeout: 120_000 });
  // Another run may have been faster; the two are the same.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  if (!existsSync(folder)) throw new Error(`the empty database could not be put at ${folder}`);
}

/**
 * Does what a first start takes longest for, in a run that has an empty database to give: puts one into a data directory that
 * has none, beside a key of its own unless the settings bring one.
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
