/** The file system calls of the spool, as a port: tests let one of them fail as on a full or broken disk. */
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";

export interface SpoolFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Reads the next `length` bytes; fewer only at the end of the file. */
  read(length: number): Promise<Buffer>;
  sizeBytes(): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface SpoolFiles {
  /** Creates a file with mode 0600 and opens it for writing and reading; fails if it exists. */
  create(path: string): Promise<SpoolFile>;
  /** Opens a file for reading; `null` if it does not exist. */
  openToRead(path: string): Promise<SpoolFile | null>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; does nothing if it does not exist. */
  remove(path: string): Promise<void>;
  /** Creates the directory and its parents with mode 0700. */
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Names of a directory's entries; empty if the directory does not exist. */
  list(path: string): Promise<string[]>;
  /** Time of a file's last change; `null` if the file does not exist. */
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

/** Puts a directory's entries on stable storage. Windows does so by itself and offers no call for it. */
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
    // Node's `writeFile` continues after short writes, and starts at the current file position.
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
