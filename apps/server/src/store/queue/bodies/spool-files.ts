/** The few file calls the spool makes, as a port: tests let one of them fail the way a full or broken disk does. */
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";

export interface SpoolFile {
  write(bytes: Uint8Array): Promise<void>;
  /** The next `length` bytes, fewer only at the end. */
  read(length: number): Promise<Buffer>;
  sizeBytes(): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface SpoolFiles {
  /** A new file, mode 0600; fails when it exists. */
  create(path: string): Promise<SpoolFile>;
  /** `null` when there is none. */
  openToRead(path: string): Promise<SpoolFile | null>;
  rename(from: string, to: string): Promise<void>;
  /** Nothing happens when there is none. */
  remove(path: string): Promise<void>;
  /** Mode 0700, parents included. */
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Names in a directory; empty when there is none. */
  list(path: string): Promise<string[]>;
  /** `null` when there is none. */
  modifiedAt(path: string): Promise<Date | null>;
}

export const nodeSpoolFiles: SpoolFiles = {
  create: async (path) => wrap(await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)),
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

/** Puts a directory's entries on stable storage. Windows does so by itself and can't be asked. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function wrap(handle: Awaited<ReturnType<typeof open>>): SpoolFile {
  return {
    // writeFile goes on after short writes, at the file's current place.
    write: (bytes) => handle.writeFile(bytes),
    read: async (length) => {
      const buffer = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    sizeBytes: async () => (await handle.stat()).size,
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function orNullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
