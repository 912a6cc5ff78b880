/** Watches the free space of the disk that the spool lies on. Asked every two seconds; in between what is written is subtracted. */
import { statfs } from "node:fs/promises";
import type { DiskReserve } from "../core/spool/spool-space.ts";

const ASK_EVERY_MS = 2000;

export interface WatchedDisk extends DiskReserve {
  close(): void;
}

export interface DiskReserveOptions {
  dataDir: string;
  /** Below this much free space accounts may hold less; 0: they never do. */
  reserveBytes: number;
  /** Bytes that may still be written; `null` when the disk can't be asked. Tests bring their own. */
  freeBytes?: (path: string) => Promise<number | null>;
}

export async function watchDisk({
  dataDir,
  reserveBytes,
  freeBytes = askDisk,
}: DiskReserveOptions): Promise<WatchedDisk> {
  let free = await freeBytes(dataDir);
  const ask = async () => {
    free = await freeBytes(dataDir);
  };
  const timer = setInterval(() => void ask(), ASK_EVERY_MS).unref();
  return {
    // A disk that can't be asked says so when it is written to.
    share: () => (free === null || reserveBytes === 0 || free >= reserveBytes ? 1 : Math.max(0, free / reserveBytes)),
    take: (bytes) => {
      if (free !== null) free -= bytes;
    },
    close: () => clearInterval(timer),
  };
}

async function askDisk(path: string): Promise<number | null> {
  const found = await statfs(path).catch(() => null);
  return found === null ? null : found.bavail * found.bsize;
}
