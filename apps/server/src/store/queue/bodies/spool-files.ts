import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { AppError } from "../../../core/app-error.ts";

export interface SpoolFile {
  write(bytes: Uint8Array): Promise<void>;
  read(length: number): Promise<Buffer>;
  sizeBytes(): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface SpoolFiles {
  create(path: string): Promise<SpoolFile>;
  openToRead(path: string): Promise<SpoolFile | null>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  list(path: string): Promise<string[]>;
  modifiedAt(path: string): Promise<Date | null>;
}

export const nodeSpoolFiles: SpoolFiles = {
  create: async (path) => wrap(await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)),
  openToRead: async (path) => {
    const handle = await orNullIfAbsent(open(path, "r"));
    return handle === null ? null : wrap(handle);
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncDirectory,
  list: async (path) => (await orNullIfAbsent(readdir(path))) ?? [],
  modifiedAt: async (path) => (await orNullIfAbsent(stat(path)))?.mtime ?? null,
};

/** Windows syncs directories by itself and offers no call for it. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function wrap(handle: Handle): SpoolFile {
  return {
    // Node's `writeFile` continues after short writes, from the current position.
    write: (bytes) => handle.writeFile(bytes),
    read: (length) => readUpTo(handle, length),
    sizeBytes: async () => (await handle.stat()).size,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

type Handle = Awaited<ReturnType<typeof open>>;

async function readUpTo(handle: Handle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function orNullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

export const UNFINISHED = ".part";

export interface FilePlace {
  directory: string;
  path: string;
  syncDirectory(path: string): Promise<void>;
}

export async function putFile(
  files: SpoolFiles,
  { directory, path, syncDirectory }: FilePlace,
  chunks: Iterable<{ sealed: Buffer }> | AsyncIterable<{ sealed: Buffer }>,
): Promise<void> {
  try {
    await writeSynced(files, path + UNFINISHED, chunks);
    await files.rename(path + UNFINISHED, path);
    await syncDirectory(directory);
  } catch (cause) {
    for (const left of [path + UNFINISHED, path]) await files.remove(left).catch(() => {});
    throw new AppError("spool_failed", {}, cause);
  }
}

async function writeSynced(
  files: SpoolFiles,
  path: string,
  chunks: Iterable<{ sealed: Buffer }> | AsyncIterable<{ sealed: Buffer }>,
): Promise<void> {
  const file = await createOrReplace(files, path);
  try {
    for await (const chunk of chunks) await file.write(chunk.sealed);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function createOrReplace(files: SpoolFiles, path: string): Promise<SpoolFile> {
  try {
    return await files.create(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    await files.remove(path);
    return await files.create(path);
  }
}
