/** Copies the running embedded store, as a kill would leave it: statements wait while database files are copied. */
import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { syncDirectory } from "../queue/bodies/spool-files.ts";
import { readTar, type TarEntry, TarError, writeTar } from "./tar.ts";

export class BackupError extends Error {
  override name = "BackupError";
}

export interface BackupRequest {
  file: string;
  withSecretKey: boolean;
}

interface BackupSource {
  dataDir: string;
  pause<T>(work: () => Promise<T>): Promise<T>;
  checkpoint(): Promise<unknown>;
  hasKeyFile: boolean;
  now(): Date;
}

/** A backup contains the key file on request only; a start recreates all other files. */
const parts = ["db", "spool", "underway"] as const;
const MANIFEST = "kauke-backup.json";
const KEY_FILE = "secret.key";
const FORMAT = 1;
const STAGING = ".backup-";

/** Writes a file with mode 0600, under the suffix `.part` until it is complete. @throws BackupError */
export async function writeBackup(
  source: BackupSource,
  { file, withSecretKey }: BackupRequest,
): Promise<{ bytes: number }> {
  if (withSecretKey && !source.hasKeyFile)
    throw new BackupError(
      "The key was given by KAUKE_SECRET_KEY, so there is no key file to copy. Keep the key where it comes from.",
    );
  if (await exists(file)) throw new BackupError("There is a file of this name already. Choose another one.");
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
    throw asBackupError(thrown);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export async function removeStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(STAGING)) await rm(join(dataDir, name), { recursive: true, force: true });
}

async function copyParts(dataDir: string, staging: string): Promise<void> {
  await copyTree(join(dataDir, "db"), join(staging, "db"), copyOne);
  // A file of the spool never changes once it has its final name, so a hard link is a copy without cost.
  await copyTree(join(dataDir, "spool"), join(staging, "spool"), linkOrCopy);
  await copyTree(join(dataDir, "underway"), join(staging, "underway"), linkOrCopy);
}

type CopyFile = (from: string, to: string) => Promise<void>;

const copyOne: CopyFile = (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE);
const linkOrCopy: CopyFile = (from, to) => link(from, to).catch(() => copyOne(from, to));

/** Copies a directory without files deleted meanwhile: bodies of ended deliveries, temporary files. */
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

/** Unpacks into a missing or empty directory. @returns whether the secret key is included @throws BackupError */
export async function restoreBackup(file: string, dataDir: string): Promise<{ withSecretKey: boolean }> {
  if ((await readdir(dataDir).catch(ifMissing([]))).length > 0)
    throw new BackupError("The data directory is not empty. Restore into a new one.");
  const unfinished = `${dataDir}.restoring`;
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 }).catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EEXIST") throw asBackupError(thrown);
    throw new BackupError(`Another restore is running, or one was interrupted: remove ${unfinished} first.`);
  });
  try {
    const manifest = await unpack(file, unfinished);
    await rmdir(dataDir).catch(ifMissing(undefined));
    await rename(unfinished, dataDir);
    await syncDirectory(dirname(dataDir));
    return manifest;
  } catch (thrown) {
    await rm(unfinished, { recursive: true, force: true });
    throw asBackupError(thrown);
  }
}

async function unpack(file: string, directory: string): Promise<{ withSecretKey: boolean }> {
  const unzipped = createGunzip();
  const reading = pipeline(createReadStream(file), unzipped);
  // `readTar` reports a failure of this pipeline, so the handler only prevents an unhandled rejection.
  reading.catch(() => {});
  let isFirst = true;
  for await (const entry of readTar(unzipped)) {
    if (isFirst !== (entry.name === MANIFEST) || !isBackupEntry(entry.name)) throw new TarError();
    isFirst = false;
    const path = join(directory, entry.name);
    if (entry.file === null) await mkdir(path, { mode: 0o700 }).catch(refuseMisplaced);
    else await writeSynced(path, entry.file.read());
    if (entry.name === MANIFEST) await checkManifest(path);
  }
  if (isFirst) throw new TarError();
  await reading;
  const { withSecretKey } = await checkManifest(join(directory, MANIFEST));
  await rm(join(directory, MANIFEST));
  return { withSecretKey };
}

function isBackupEntry(name: string): boolean {
  if (name === MANIFEST || name === KEY_FILE) return true;
  const [first, ...rest] = name.split("/");
  return parts.includes(first as never) && rest.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
}

async function checkManifest(path: string): Promise<{ withSecretKey: boolean }> {
  const manifest = JSON.parse(await readFile(path, "utf8")) as { format?: unknown; withSecretKey?: unknown };
  if (manifest.format !== FORMAT)
    throw new BackupError("This backup was made by a newer version. Use that version to restore it.");
  return { withSecretKey: manifest.withSecretKey === true };
}

/** The target holds only entries of this archive, so a file that is there already means an invalid archive. */
function refuseMisplaced(thrown: unknown): never {
  throw ["EEXIST", "ENOENT", "ENOTDIR"].includes(codeOf(thrown)) ? new TarError() : thrown;
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, "wx", 0o600).catch(refuseMisplaced);
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const exists = (path: string) =>
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
  EEXIST: "Another backup into this file is running, or one was interrupted: remove the file ending in .part first.",
};

function asBackupError(thrown: unknown): unknown {
  if (thrown instanceof BackupError) return thrown;
  const code = codeOf(thrown);
  const isDamaged = thrown instanceof TarError || thrown instanceof SyntaxError || /^(?:Z_|ERR_)/.test(code);
  const sentence = isDamaged ? "The file is no backup of Kauke, or it is damaged." : sentences[code];
  return sentence === undefined ? thrown : new BackupError(sentence, { cause: thrown });
}
