/**
 * A backup of the embedded store while it runs. For the moment it takes to copy the database's files and to link those of the
 * spool no statement is answered: what is copied then is what a kill at that moment would leave, and the next start recovers it
 * the same way. Packing follows while mail flows on. Restoring unpacks into a directory that did not exist before.
 */
import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { syncDirectory } from "../queue/bodies/spool-files.ts";
import { readTar, type TarEntry, TarError, writeTar } from "./tar.ts";

/** A sentence for the operator: what stands in the way. */
export class BackupError extends Error {
  override name = "BackupError";
}

export interface BackupWish {
  /** Absolute; nothing may be there. */
  file: string;
  withSecretKey: boolean;
}

interface BackupSource {
  dataDir: string;
  /** Runs the work while no statement of the database runs. */
  pause<T>(work: () => Promise<T>): Promise<T>;
  checkpoint(): Promise<unknown>;
  /** Of the data directory; false: the key was given by the setting. */
  hasKeyFile: boolean;
  now(): Date;
}

/** What of the data directory is the store's; the rest is made anew by a start. */
const parts = ["db", "spool", "underway"] as const;
const MANIFEST = "kauke-backup.json";
const KEY_FILE = "secret.key";
const FORMAT = 1;
const STAGING = ".backup-";

/** @returns size of the file, mode 0600, whole or not there at all @throws BackupError */
export async function writeBackup(
  source: BackupSource,
  { file, withSecretKey }: BackupWish,
): Promise<{ bytes: number }> {
  if (withSecretKey && !source.hasKeyFile)
    throw new BackupError(
      "The key was given by KAUKE_SECRET_KEY and lies in no file here. Keep it where it comes from.",
    );
  if (await isThere(file)) throw new BackupError("There is a file of this name already. Choose another one.");
  const staging = await mkdtemp(join(source.dataDir, STAGING));
  const unfinished = `${file}.part`;
  try {
    await source.checkpoint();
    await source.pause(() => copyParts(source.dataDir, staging));
    if (withSecretKey) await copyFile(join(source.dataDir, KEY_FILE), join(staging, KEY_FILE));
    const manifest = { format: FORMAT, createdAt: source.now().toISOString(), withSecretKey };
    await pack(staging, unfinished, manifest);
    await rename(unfinished, file);
    await syncDirectory(dirname(file));
    return { bytes: (await lstat(file)).size };
  } catch (thrown) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw inWords(thrown);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** What a backup that was killed left in the data directory. */
export async function removeStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(STAGING)) await rm(join(dataDir, name), { recursive: true, force: true });
}

async function copyParts(dataDir: string, staging: string): Promise<void> {
  await copyTree(join(dataDir, "db"), join(staging, "db"), copyOne);
  // Files of the spool are never changed once they have their name: a second name is a copy that costs nothing.
  for (const part of ["spool", "underway"]) await copyTree(join(dataDir, part), join(staging, part), linkOrCopy);
}

type CopyFile = (from: string, to: string) => Promise<void>;

const copyOne: CopyFile = (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE);
const linkOrCopy: CopyFile = (from, to) => link(from, to).catch(() => copyOne(from, to));

/** A file that goes meanwhile is left out: a body whose delivery ended, or one that was never finished. */
async function copyTree(from: string, to: string, copy: CopyFile): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(ifMissing([]))) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, copy);
    else if (entry.isFile()) await copy(source, target).catch(ifMissing(undefined));
  }
}

function ifMissing<T>(instead: T): (thrown: unknown) => T {
  return (thrown) => {
    if (codeOf(thrown) === "ENOENT") return instead;
    throw thrown;
  };
}

async function pack(staging: string, file: string, manifest: object): Promise<void> {
  const out = createWriteStream(file, { flags: "wx", mode: 0o600, flush: true });
  const bytes = Readable.from(writeTar(entriesOf(staging, Buffer.from(`${JSON.stringify(manifest)}\n`))));
  await pipeline(bytes, createGzip({ level: 1 }), out);
}

async function* entriesOf(staging: string, manifest: Buffer): AsyncGenerator<TarEntry> {
  yield { name: MANIFEST, file: { sizeBytes: manifest.length, read: () => Readable.from([manifest]) } };
  yield* entriesUnder(staging, "");
}

async function* entriesUnder(root: string, folder: string): AsyncGenerator<TarEntry> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const path = join(root, name);
    if (entry.isDirectory()) {
      yield { name, file: null };
      yield* entriesUnder(root, name);
    } else yield { name, file: { sizeBytes: (await lstat(path)).size, read: () => createReadStream(path) } };
  }
}

/**
 * Unpacks a backup into a data directory that is not there yet, or empty.
 * @returns whether the key is in it @throws BackupError
 */
export async function restoreBackup(file: string, dataDir: string): Promise<{ withSecretKey: boolean }> {
  if ((await readdir(dataDir).catch(ifMissing([]))).length > 0)
    throw new BackupError("The data directory is not empty. Restore into a new one.");
  const unfinished = `${dataDir}.restoring`;
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 }).catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EEXIST") throw inWords(thrown);
    throw new BackupError(`Another restore is running, or one was cut off: remove ${unfinished} first.`);
  });
  try {
    const manifest = await unpack(file, unfinished);
    await rmdir(dataDir).catch(ifMissing(undefined));
    await rename(unfinished, dataDir);
    await syncDirectory(dirname(dataDir));
    return manifest;
  } catch (thrown) {
    await rm(unfinished, { recursive: true, force: true });
    throw inWords(thrown);
  }
}

async function unpack(file: string, directory: string): Promise<{ withSecretKey: boolean }> {
  const unzipped = createGunzip();
  const reading = pipeline(createReadStream(file), unzipped);
  // Whoever reads on meets the same failure; here it must not go unheard.
  reading.catch(() => {});
  let isFirst = true;
  for await (const entry of readTar(unzipped)) {
    if (isFirst !== (entry.name === MANIFEST) || !isOurs(entry.name)) throw new TarError();
    isFirst = false;
    const path = join(directory, entry.name);
    if (entry.file === null) await mkdir(path, { mode: 0o700 }).catch(ifMisplaced);
    else await writeSynced(path, entry.file.read());
    if (entry.name === MANIFEST) await checkManifest(path);
  }
  if (isFirst) throw new TarError();
  await reading;
  const { withSecretKey } = await checkManifest(join(directory, MANIFEST));
  await rm(join(directory, MANIFEST));
  return { withSecretKey };
}

/** Nothing may be written anywhere else. */
function isOurs(name: string): boolean {
  if (name === MANIFEST || name === KEY_FILE) return true;
  const [first, ...rest] = name.split("/");
  return parts.includes(first as never) && rest.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
}

async function checkManifest(path: string): Promise<{ withSecretKey: boolean }> {
  const manifest = JSON.parse(await readFile(path, "utf8")) as { format?: unknown; withSecretKey?: unknown };
  if (manifest.format !== FORMAT)
    throw new BackupError("This backup was made by a newer version. Restore with that one.");
  return { withSecretKey: manifest.withSecretKey === true };
}

/** The new directory holds what this file named before: what is there already, or has no folder, was named wrongly. */
function ifMisplaced(thrown: unknown): never {
  throw ["EEXIST", "ENOENT", "ENOTDIR"].includes(codeOf(thrown)) ? new TarError() : thrown;
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, "wx", 0o600).catch(ifMisplaced);
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const codeOf = (thrown: unknown) =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";

const sentences: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file or folder.",
  EACCES: "This process may not read or write there.",
  EPERM: "This process may not read or write there.",
  EROFS: "Nothing can be written there.",
  ENOSPC: "The disk is full.",
  EEXIST: "Another backup into this file is running, or one was cut off: remove the file ending in .part first.",
};

function inWords(thrown: unknown): unknown {
  if (thrown instanceof BackupError) return thrown;
  const code = codeOf(thrown);
  const isDamaged = thrown instanceof TarError || thrown instanceof SyntaxError || /^(?:Z_|ERR_)/.test(code);
  const sentence = isDamaged ? "The file is no backup of Kauke, or it is damaged." : sentences[code];
  return sentence === undefined ? thrown : new BackupError(sentence, { cause: thrown });
}
