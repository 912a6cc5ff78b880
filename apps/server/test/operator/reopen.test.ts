/**
 * The embedded store after many writes and a kill: checkpoints have kept its log short, so that it can be opened again
 * within three seconds, with everything that was committed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openStore } from "@kauke/server/store/open-store";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { waitedForCoreMs } from "@kauke/testkit/process-figures";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const MEBIBYTE = 1_048_576;
/** Bytes written to the database before the process is killed. */
const WRITTEN_BYTES = 500 * MEBIBYTE;
const REOPEN_MAX_MS = 3000;
/**
 * Maximum size of the write-ahead log: twice what is written between checkpoints (files are kept for reuse), plus what
 * a slow second adds.
 */
const LOG_MAX_BYTES = 192 * MEBIBYTE;
const CONCURRENT_DELIVERIES = 50;
const writer = fileURLToPath(import.meta.resolve("@kauke/testkit/kill/bulk-writer"));

afterAll(removeDataDirs);

/** Has a process write to the store and kills it. @returns how many rounds of writing the store had committed */
async function writeAndKill(dataDir: string): Promise<number> {
  const child = spawn(process.execPath, [writer, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  let rounds = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    rounds++;
    if (Number(line) >= WRITTEN_BYTES && !child.killed) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return rounds;
}

async function logBytes(dataDir: string): Promise<number> {
  const directory = join(dataDir, "db", "pg_wal");
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/**
 * Log position at which a recovery begins: `checkPointCopy.redo` of PostgreSQL's control file, the sixth eight bytes.
 */
async function redoPosition(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, "db", "global", "pg_control"))).readBigUInt64LE(40));
}

/**
 * Opens the store. @returns how many milliseconds that took, less the time this process waited for a core, and the
 * number of deliveries in the store
 */
async function timedReopen(dataDir: string): Promise<{ ms: number; deliveries: number }> {
  const waitedBefore = waitedForCoreMs(process.pid);
  const begun = performance.now();
  const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
  const ms = performance.now() - begun - (waitedForCoreMs(process.pid) - waitedBefore);
  const deliveries = await store.deliveries.count();
  await store.close();
  return { ms, deliveries };
}

test.runIf(isLongRun)(
  "after many writes and a kill the store opens again within three seconds, and is complete",
  {
    timeout: 900_000,
  },
  async () => {
    const dataDir = await makeDataDir();
    await (await openStore({ databaseUrl: null, dataDir, secretKey: null })).close();
    const redoAtFirst = await redoPosition(dataDir);
    const rounds = await writeAndKill(dataDir);
    const redoMoved = (await redoPosition(dataDir)) - redoAtFirst;
    const log = await logBytes(dataDir);
    const reopenings: number[] = [];
    for (let count = 0; count < 3; count++) {
      const copy = join(await makeDataDir(), "copy");
      await cp(dataDir, copy, { recursive: true });
      const { ms, deliveries } = await timedReopen(copy);
      reopenings.push(ms);
      expect(deliveries).toBeGreaterThanOrEqual(rounds * CONCURRENT_DELIVERIES);
      await rm(copy, { recursive: true });
    }
    printFigures("reopen", {
      "MiB written": Math.round(WRITTEN_BYTES / MEBIBYTE),
      "MiB of log on disk": Math.round(log / MEBIBYTE),
      "MiB of log behind the last checkpoint": Math.round(redoMoved / MEBIBYTE),
      "reopened in ms": reopenings.map(Math.round).join(" "),
    });
    expect(redoMoved).toBeGreaterThan(48 * MEBIBYTE);
    expect(log).toBeLessThanOrEqual(LOG_MAX_BYTES);
    const [, median] = reopenings.toSorted((a, b) => a - b);
    expect(median).toBeLessThanOrEqual(REOPEN_MAX_MS);
  },
);
