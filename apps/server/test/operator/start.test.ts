/**
 * How long the server takes to start, and how much memory its process uses afterwards; for the first start, which
 * creates the database, and for later ones.
 */
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { memoryOf, waitedForCoreMs } from "@kauke/testkit/process-figures";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const FIRST_START_MAX_MS = 60_000;
/** Three seconds with the machine to itself. In a short run other tests share its cores, also within a core. */
const SECOND_START_MAX_MS = isLongRun ? 3000 : 10_000;
const MEMORY_MAX_MIB = 300;
/** Milliseconds after a start for which the documented limit of memory is. */
const SETTLE_MS = 60_000;
/** Memory falls after the start, so that one below the limit by then is below it later. */
const EARLY_MS = 15_000;

afterAll(removeDataDirs);

interface Start {
  server: ServerProcess;
  wallMs: number;
  /** Milliseconds of the start, less the time in which other programs had the cores. */
  ownMs: number;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function timedStart(dataDir: string): Promise<Start> {
  const begun = performance.now();
  const server = await startServerProcess({ dataDir });
  const wallMs = performance.now() - begun;
  return { server, wallMs, ownMs: wallMs - waitedForCoreMs(server.pid) };
}

async function memoryLater(server: ServerProcess): Promise<{ rssMib: number; peakMib: number } | null> {
  await sleep(EARLY_MS);
  const early = memoryOf(server.pid);
  if (early === null || (early.rssMib <= MEMORY_MAX_MIB && !isLongRun)) return early;
  await sleep(SETTLE_MS - EARLY_MS);
  return memoryOf(server.pid);
}

test("the first start takes a minute at most, a later one seconds, and neither uses more than 300 MiB", {
  timeout: 300_000,
}, async () => {
  const dataDir = await makeDataDir();
  const first = await timedStart(dataDir);
  const firstMemory = await memoryLater(first.server);
  await first.server.stop();
  const later: Start[] = [];
  const starts = rounds(2, 3);
  for (let count = 1; count <= starts; count++) {
    const start = await timedStart(dataDir);
    later.push(start);
    if (count < starts) await start.server.kill();
  }
  const last = later.at(-1) as Start;
  const secondMemory = await memoryLater(last.server);
  await last.server.stop();
  const fastest = later.toSorted((a, b) => a.ownMs - b.ownMs)[0] as Start;
  printFigures("start", {
    "first ms": Math.round(first.wallMs),
    "second ms": Math.round(fastest.wallMs),
    "second ms, cores to itself": Math.round(fastest.ownMs),
    "MiB after the first": firstMemory?.rssMib ?? "unknown",
    "its peak": firstMemory?.peakMib ?? "unknown",
    "MiB after the second": secondMemory?.rssMib ?? "unknown",
    "peak of the second": secondMemory?.peakMib ?? "unknown",
  });
  expect(first.ownMs).toBeLessThanOrEqual(FIRST_START_MAX_MS);
  expect(fastest.ownMs).toBeLessThanOrEqual(SECOND_START_MAX_MS);
  if (firstMemory === null || secondMemory === null) {
    process.stdout.write("Memory is not tested: this system has no /proc.\n");
    return;
  }
  expect(firstMemory.rssMib).toBeLessThanOrEqual(MEMORY_MAX_MIB);
  expect(secondMemory.rssMib).toBeLessThanOrEqual(MEMORY_MAX_MIB);
});
