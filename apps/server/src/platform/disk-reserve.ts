/** Measures the free disk space of the data directory every two seconds, and subtracts what is written in between. */
import { statfs } from "node:fs/promises";
import type { DiskReserve } from "../core/spool/spool-space.ts";

const ASK_EVERY_MS = 2000;

export interface WatchedDisk extends DiskReserve {
  close(): void;
}

export interface DiskReserveOptions {
  dataDir: string;
  /** Free bytes below which accounts may store less undelivered mail; 0 disables the check. */
  reserveBytes: number;
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
    // No limit while the free space is unknown: writing to a full disk fails by itself.
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
