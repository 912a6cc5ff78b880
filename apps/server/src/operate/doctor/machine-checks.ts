/** This machine: who may read the data directory, how much room there is, and whether the clock can be right. */
import { existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type CheckResult, checking } from "./check-result.ts";

export interface MachineFolders {
  dataDir: string;
  /** Where `.env` is looked for. */
  folder: string;
  now: Date;
}

const GIB = 1024 ** 3;
const NEEDED_BYTES = GIB / 4;
const WANTED_BYTES = 2 * GIB;
const TOLERATED_MS = 60_000;

export async function checkMachine(folders: MachineFolders): Promise<CheckResult[]> {
  const parts = [checkModes(folders), checkRoom(folders.dataDir), checkClock(folders), checkInFlight(folders)];
  return (await Promise.all(parts)).flat();
}

/** Nothing to say of a directory that is not there yet; Windows knows no such modes. */
async function checkModes({ dataDir, folder }: MachineFolders): Promise<CheckResult[]> {
  if (process.platform === "win32" || !existsSync(dataDir)) return [];
  const private_ = [
    { name: "data directory", path: dataDir, mode: "700" },
    ...["secret.key", "self-signed.pem", "kauke.sock"].map((name) => ({
      name,
      path: join(dataDir, name),
      mode: "600",
    })),
    { name: ".env", path: join(folder, ".env"), mode: "600" },
  ];
  const open: CheckResult[] = [];
  for (const { name, path, mode } of private_) {
    const found = await stat(path).catch(() => null);
    if (found === null || (found.mode & 0o077) === 0) continue;
    open.push(checking("permissions", name).fix(`Other users of this machine may use it: chmod ${mode} ${path}`));
  }
  return open.length > 0 ? open : [checking("permissions", "data directory").ok("Only its owner can read the data.")];
}

async function checkRoom(dataDir: string): Promise<CheckResult[]> {
  const { ok, warn, fix } = checking("disk", "data directory");
  const found = await statfs(dataDir).catch(() => null);
  if (found === null) return [warn("How much room is left can't be seen.")];
  const bytes = found.bavail * found.bsize;
  const left = `${(bytes / GIB).toFixed(1)} GiB are free`;
  if (bytes < NEEDED_BYTES) return [fix(`Only ${left}: make room, or mail that has to wait is soon refused with 452.`)];
  return [
    bytes < WANTED_BYTES
      ? warn(`Only ${left}: make room before mail that has to wait is refused with 452.`)
      : ok(`${left}.`),
  ];
}

/** No network time is asked. A clock behind what was written yesterday is wrong for certain; the rest can't be seen from here. */
async function checkClock({ dataDir, now }: MachineFolders): Promise<CheckResult[]> {
  const { ok, fix } = checking("clock", "this machine");
  const newest = await newestChange(dataDir);
  if (newest > now.getTime() + TOLERATED_MS)
    return [fix("It is behind files of the data directory: set it, and let the system keep it (NTP).")];
  return [ok("It is not behind the files of the data directory; more can't be seen from here.")];
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

/** An attempt at a destination while its sender waits ends within minutes, by delivery or in the queue. */
const IN_FLIGHT_MS = 15 * 60_000;

/** Beside the embedded database only; with PostgreSQL there is no such folder and nothing to say. */
async function checkInFlight({ dataDir, now }: MachineFolders): Promise<CheckResult[]> {
  const folder = join(dataDir, "underway");
  const names = await readdir(folder).catch(() => null);
  if (names === null) return [];
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  // One that went meanwhile was delivered.
  const times = found.flatMap((it) => (it === null ? [] : [it.mtimeMs]));
  const { ok, warn } = checking("underway", `${times.length} messages`);
  if (times.length === 0) return [ok("No message is being tried while its sender waits.")];
  const oldestAt = Math.min(...times);
  const says = `Being tried while the sender waits, the oldest since ${new Date(oldestAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (now.getTime() - oldestAt < IN_FLIGHT_MS) return [ok(`${says}.`)];
  return [
    warn(
      `${says}: restart the server, which puts them into the queue; what it can't read it logs (underway_unreadable).`,
    ),
  ];
}
