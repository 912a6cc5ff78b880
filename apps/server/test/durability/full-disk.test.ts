/**
 * The real server on a file system that is really full: it replies 4xx instead of 250, and no acknowledged message is
 * lost.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openEmbedded } from "@kauke/server/store/embedded/embedded-database";
import { mountSmallDisk, whyNoSmallDisk } from "@kauke/testkit/fakes/small-disk";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { numberedMessage } from "@kauke/testkit/kill/numbered-mail";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { sql } from "kysely";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const MEBIBYTE = 1_048_576;
const SEGMENT_BYTES = 16 * MEBIBYTE;
const TIMEOUT_MS = 240_000;

let dataDir: string;
let destination: SwitchedDestination;
let server: ServerProcess | null = null;
const cleanUp: (() => Promise<unknown>)[] = [];

const reason = whyNoSmallDisk();
if (reason !== null) process.stdout.write(`Tests of a full file system are skipped: ${reason}.\n`);

beforeEach(async () => {
  dataDir = await makeDataDir();
  destination = await SwitchedDestination.start();
  await destination.goDown("closed port");
});
afterEach(async () => {
  await server?.kill();
  await destination.close();
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});
afterAll(removeDataDirs);

async function start(): Promise<ServerProcess> {
  server = await startServerProcess({
    dataDir,
    env: {
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${destination.port}`,
      KAUKE_RETRY_SCHEDULE: Array.from({ length: 100 }, () => "2s").join(","),
      KAUKE_LIMITS: "off",
      // No disk reserve, because the file systems of these tests are smaller than any.
      KAUKE_DISK_RESERVE_MIB: "0",
    },
  });
  return server;
}

async function restart(): Promise<ServerProcess> {
  await server?.kill();
  return start();
}

/** A sender of numbered messages that records which of them were acknowledged. */
function numberedSender(to: string, bytes: number) {
  const acknowledged: number[] = [];
  let last = 0;
  return {
    acknowledged,
    async send(running: ServerProcess): Promise<string> {
      const number = ++last;
      const answer = (await sendMail({ port: running.mxPort, to, message: numberedMessage(number, bytes) })).last;
      if (answer.startsWith("250")) acknowledged.push(number);
      return answer;
    },
  };
}

async function sendUntilRefused(send: () => Promise<string>, most: number): Promise<string> {
  for (let sent = 0; sent < most; sent++) {
    const answer = await send();
    if (!answer.startsWith("250")) return answer;
  }
  throw new Error("the file system never became full");
}

async function mount(directory: string, sizeBytes: number) {
  const disk = await mountSmallDisk(directory, sizeBytes);
  cleanUp.push(() => disk.unmount());
  return disk;
}

async function makeAlias(running: ServerProcess): Promise<string> {
  const { alias, domain } = await (await registerPerson(running.url)).createAlias({ forwardTo: "ann@inbox.example" });
  return `${alias}@${domain}`;
}

/** Starts the destination, and expects every acknowledged message there exactly once. */
async function expectEachOnce(acknowledged: readonly number[]): Promise<void> {
  await destination.goUp();
  await vi.waitFor(() => expect(acknowledged.filter((number) => !destination.taken.has(number))).toEqual([]), {
    timeout: 60_000,
    interval: 100,
  });
  expect([...destination.taken.values()].filter((eras) => eras.length > 1)).toEqual([]);
  expect(destination.damaged).toEqual([]);
}

const healthOf = async (running: ServerProcess) => (await fetch(`${running.url}/healthz`)).status;

describe.skipIf(reason !== null)("a file system without free space", () => {
  // In `npm test`, spool-failure.test.ts fails the writes of the spool with ENOSPC.
  test.runIf(isLongRun)(
    "for the spool: 451, also after kill -9; when the mail is delivered, there is space again",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const spool = join(dataDir, "spool");
      await mkdir(spool);
      await mount(spool, MEBIBYTE);
      const first = await start();
      const sender = numberedSender(await makeAlias(first), 100_000);
      expect(await sendUntilRefused(() => sender.send(first), 20)).toMatch(/^451 4\.3\.0 /);
      const second = await restart();
      expect(await sender.send(second)).toMatch(/^451 4\.3\.0 /);
      expect(sender.acknowledged.length).toBeGreaterThan(5);
      await expectEachOnce(sender.acknowledged);
      await destination.goDown("4xx at the dot");
      await vi.waitFor(async () => expect(await sender.send(second)).toMatch(/^250 /), {
        timeout: 20_000,
        interval: 500,
      });
      await expectEachOnce(sender.acknowledged);
      printFigures("full spool", { acknowledged: sender.acknowledged.length, lost: 0 });
    },
  );

  test("for the database's tables: 451, and 250 again once there is space, without a restart", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const disk = await mount(dataDir, 160 * MEBIBYTE);
    await mkdir(join(dataDir, "spool"));
    await mount(join(dataDir, "spool"), 32 * MEBIBYTE);
    const running = await start();
    const sender = numberedSender(await makeAlias(running), 500);
    expect(await sender.send(running)).toMatch(/^250 /);
    await disk.fill(0);
    expect(await sendUntilRefused(() => sender.send(running), 2000)).toMatch(/^451 4\.3\.0 /);
    await disk.free();
    expect(await sender.send(running)).toMatch(/^250 /);
    expect(await healthOf(running)).toBe(200);
    await expectEachOnce(sender.acknowledged);
    printFigures("full tables", { acknowledged: sender.acknowledged.length, lost: 0 });
  });

  test.runIf(isLongRun)(
    "for the database's write-ahead log: 451 until a restart finds space, and nothing is lost",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const disk = await mount(dataDir, 160 * MEBIBYTE);
      await mkdir(join(dataDir, "spool"));
      await mount(join(dataDir, "spool"), 32 * MEBIBYTE);
      const to = await makeAlias(await start());
      await server?.stop();
      const logFile = await writeLogUpTo(SEGMENT_BYTES - MEBIBYTE / 4);
      const running = await start();
      await removeLogAfter(logFile);
      // The disk still has space for the tables, but not for another segment of the write-ahead log.
      await disk.fill(SEGMENT_BYTES - 4 * MEBIBYTE);
      const sender = numberedSender(to, 500);
      expect(await sendUntilRefused(() => sender.send(running), 2000)).toMatch(/^451 4\.3\.0 /);
      expect(await sender.send(running)).toMatch(/^451 4\.3\.0 /);
      const health = await healthOf(running);
      await disk.free();
      const again = await restart();
      expect(await sender.send(again)).toMatch(/^250 /);
      await expectEachOnce(sender.acknowledged);
      printFigures("full log", { acknowledged: sender.acknowledged.length, lost: 0, "healthz while full": health });
      expect(health).toBe(503);
    },
  );
});

/** Writes to the database until its write-ahead log will soon need its next file. @returns name of the current file */
async function writeLogUpTo(offsetInSegment: number): Promise<string> {
  const { db, close } = await openEmbedded(dataDir);
  const position = async () => {
    const { rows } = await sql<{ file: string; offset: number }>`
      SELECT file_name AS file, file_offset AS offset FROM pg_walfile_name_offset(pg_current_wal_insert_lsn())`.execute(
      db,
    );
    return rows[0] as { file: string; offset: number };
  };
  let at = await position();
  for (; at.offset < offsetInSegment; at = await position()) {
    const more = Math.min(65_536, offsetInSegment - at.offset);
    await sql`SELECT pg_logical_emit_message(false, 'fill', repeat('x', ${more}::integer))`.execute(db);
  }
  await close();
  return at.file;
}

/**
 * Removes the write-ahead log files that a checkpoint created in advance; a longer stretch of writing would have used
 * them up.
 */
async function removeLogAfter(file: string): Promise<void> {
  const log = join(dataDir, "db", "pg_wal");
  for (const name of await readdir(log)) if (/^[0-9A-F]{24}$/.test(name) && name > file) await rm(join(log, name));
}
