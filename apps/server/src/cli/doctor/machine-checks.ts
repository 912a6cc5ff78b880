/** Checks this machine: permissions of the data directory, free disk space, the clock, and in-flight messages. */
import { existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type CheckResult, checking } from "./check-result.ts";

export interface MachineFolders {
  dataDir: string;
  /** Directory of the `.env` file. */
  folder: string;
  now: Date;
}

const GIB = 1024 ** 3;
/** Free disk space below which the check fails. */
const NEEDED_BYTES = GIB / 4;
/** Free disk space below which the check warns. */
const WANTED_BYTES = 2 * GIB;
/** Milliseconds by which the clock may be behind the newest file. */
const TOLERATED_MS = 60_000;

export async function checkMachine(folders: MachineFolders): Promise<CheckResult[]> {
  const parts = [checkModes(folders), checkDiskSpace(folders.dataDir), checkClock(folders), checkInFlight(folders)];
  return (await Promise.all(parts)).flat();
}

/** Checks file modes. No result if the directory does not exist, nor on Windows, which has no such modes. */
async function checkModes({ dataDir, folder }: MachineFolders): Promise<CheckResult[]> {
  if (process.platform === "win32" || !existsSync(dataDir)) return [];
  const privatePaths = [
    { name: "data directory", path: dataDir, mode: "700" },
    ...["secret.key", "self-signed.pem", "kauke.sock"].map((name) => ({
      name,
      path: join(dataDir, name),
      mode: "600",
    })),
    { name: ".env", path: join(folder, ".env"), mode: "600" },
  ];
  const open: CheckResult[] = [];
  for (const { name, path, mode } of privatePaths) {
    const found = await stat(path).catch(() => null);
    if (found === null || (found.mode & 0o077) === 0) continue;
    open.push(checking("permissions", name).fix(`Other users of this machine have access: chmod ${mode} ${path}`));
  }
  return open.length > 0 ? open : [checking("permissions", "data directory").ok("Only its owner can read the data.")];
}

async function checkDiskSpace(dataDir: string): Promise<CheckResult[]> {
  const { ok, warn, fix } = checking("disk", "data directory");
  const found = await statfs(dataDir).catch(() => null);
  if (found === null) return [warn("The free disk space can't be read.")];
  const bytes = found.bavail * found.bsize;
  const left = `${(bytes / GIB).toFixed(1)} GiB are free`;
  if (bytes < NEEDED_BYTES)
    return [fix(`Only ${left}: free some space, or mail that must be queued is soon refused with 452.`)];
  return [
    bytes < WANTED_BYTES
      ? warn(`Only ${left}: free some space before mail that must be queued is refused with 452.`)
      : ok(`${left}.`),
  ];
}

/**
 * Checks the clock without network time: a clock behind the newest file of the data directory is certainly wrong; other
 * errors can't be detected.
 */
async function checkClock({ dataDir, now }: MachineFolders): Promise<CheckResult[]> {
  const { ok, fix } = checking("clock", "this machine");
  const newest = await newestChange(dataDir);
  if (newest > now.getTime() + TOLERATED_MS)
    return [fix("It is behind the times of files in the data directory: set it, and keep it synchronised (NTP).")];
  return [ok("It is not behind the times of files in the data directory; more can't be checked from here.")];
}

async function newestChange(dataDir: string): Promise<number> {
  const names = await readdir(dataDir).catch(() => []);
  const times = await Promise.all(
    [...names.map((name) => join(dataDir, name)), join(dataDir, "db", "global", "pg_control")].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...times);
}

/**
 * Age below which an in-flight message is normal: an attempt during the SMTP session ends within minutes, in delivery
 * or in the queue.
 */
const IN_FLIGHT_MS = 15 * 60_000;

/** Checks in-flight messages. No result with PostgreSQL, which has no such folder. */
async function checkInFlight({ dataDir, now }: MachineFolders): Promise<CheckResult[]> {
  const folder = join(dataDir, "underway");
  const names = await readdir(folder).catch(() => null);
  if (names === null) return [];
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  // A file that was deleted meanwhile belongs to a message that was delivered or moved into the queue.
  const times = found.flatMap((it) => (it === null ? [] : [it.mtimeMs]));
  const { ok, warn } = checking("underway", `${times.length} messages`);
  if (times.length === 0) return [ok("No delivery attempt is in progress while its sender waits.")];
  const oldestAt = Math.min(...times);
  const says = `Delivery attempts are in progress while the sender waits, the oldest since ${new Date(oldestAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (now.getTime() - oldestAt < IN_FLIGHT_MS) return [ok(`${says}.`)];
  return [
    warn(
      `${says}: restart the server, which moves them into the queue and logs those it can't read (in_flight_unreadable).`,
    ),
  ];
}
