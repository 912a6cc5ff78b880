/**
 * `node empty-database.testing.ts FOLDER` creates an empty embedded database with the tables of this version, as files
 * (`db`) and as a dump (`dump.tar`). Tests start from a copy of it, since creating one takes longer than most tests.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { Kysely, PGliteDialect } from "kysely";
import type { DB } from "../database.ts";
import { runMigrations, underStartLock } from "../migrate.ts";

/**
 * Object ids of PostgreSQL's databases template1 and template0, which nothing connects to and which make up two thirds
 * of all files.
 */
const UNUSED_DATABASES = ["1", "4"];
const PAGE_BYTES = 8192;
const TAR_BLOCK_BYTES = 512;

async function main(folder: string): Promise<void> {
  const database = join(folder, "db");
  await mkdir(database, { mode: 0o700 });
  const startParams = [...PGlite.defaultStartParams, "-c", "wal_recycle=off"];
  const pglite = await PGlite.create({ fs: new NodeFS(database), startParams });
  const db = new Kysely<DB>({ dialect: new PGliteDialect({ pglite }) });
  await underStartLock(db, (trx) => runMigrations(trx, new Date()));
  // The write-ahead log continues in a new, almost empty file; the checkpoint removes the previous one.
  await pglite.exec("SELECT pg_switch_wal()");
  await pglite.exec("CHECKPOINT");
  await pglite.close();
  for (const oid of UNUSED_DATABASES) await emptyFolder(join(database, "base", oid));
  // The dump is made after the database is closed, because each load of a dump from a running one would run crash
  // recovery.
  await writeFile(join(folder, "dump.tar"), await tarOf(database));
}

async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name !== "PG_VERSION") await rm(join(folder, name));
}

/**
 * Cuts a segment of the write-ahead log to its used part, rounded up to whole pages. In memory a segment may be shorter
 * than its full size, because PostgreSQL extends a short file. On disk it must have its full size, or a full disk would
 * stop the log.
 */
function writtenLog(bytes: Buffer): Buffer {
  const usedBytes = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return bytes.subarray(0, Math.ceil(usedBytes / PAGE_BYTES) * PAGE_BYTES);
}

/** A POSIX tar archive (ustar) of a folder, whose paths must be shorter than 100 characters. */
async function tarOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const file = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
    const bytes = basename(entry.parentPath) === "pg_wal" ? writtenLog(file) : file;
    const name = path.slice(folder.length).replaceAll("\\", "/");
    parts.push(tarHeader(name, { isFile: entry.isFile(), sizeBytes: bytes.length }), bytes);
    parts.push(Buffer.alloc(-bytes.length & (TAR_BLOCK_BYTES - 1)));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * TAR_BLOCK_BYTES)]);
}

function tarHeader(name: string, { isFile, sizeBytes }: { isFile: boolean; sizeBytes: number }): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(isFile ? 0o600 : 0o700, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(sizeBytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("        ", 148);
  header.write(isFile ? "0" : "5", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(octal(sum, 6), 148);
  return header;
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("empty-database.testing.ts needs a folder");
await main(folder);
