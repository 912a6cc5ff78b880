/**
 * Provides a PostgreSQL server for tests: the one that `DATABASE_URL_TEST` names, or a new cluster in a temporary
 * directory made with Debian's programs and reached over a Unix socket. Each caller gets empty databases of its own,
 * which `stop` drops.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isQuickRun } from "@kauke/testkit/depth";
import pg from "pg";

export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

const DEBIAN_DIRECTORY = "/usr/lib/postgresql";
const OLDEST_MAJOR = 15;

/** Whether `startTestPostgres` can provide a server. */
export function findTestPostgres(): { found: true } | { found: false; reason: string } {
  if (isQuickRun) return { found: false, reason: "PostgreSQL is left out: npm run test:all includes it." };
  if (process.env.DATABASE_URL_TEST !== undefined || programDirectory() !== null) return { found: true };
  return {
    found: false,
    reason: "No PostgreSQL 15 or newer found: set DATABASE_URL_TEST or install Debian's package postgresql.",
  };
}

/** Directory of the oldest supported version installed: what runs on it also runs on newer ones. */
function programDirectory(): string | null {
  if (!existsSync(DEBIAN_DIRECTORY)) return null;
  const majors = readdirSync(DEBIAN_DIRECTORY)
    .map(Number)
    .filter((major) => major >= OLDEST_MAJOR);
  const directories = majors.sort((a, b) => a - b).map((major) => join(DEBIAN_DIRECTORY, String(major), "bin"));
  return directories.find((directory) => existsSync(join(directory, "initdb"))) ?? null;
}

export async function startTestPostgres(): Promise<TestPostgres> {
  const given = process.env.DATABASE_URL_TEST;
  if (given !== undefined) return databasesOn(new URL(given), async () => {});
  const programs = programDirectory();
  if (programs === null) throw new Error("no PostgreSQL found");
  const directory = mkdtempSync(join(tmpdir(), "kauke-pg-"));
  const owner = await serverOwner();
  if (owner !== null) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, "data");
  const asOwner = { ...owner, cwd: directory };
  const initArguments = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  await promisify(execFile)(join(programs, "initdb"), initArguments, asOwner);
  const settings = ["-c", "listen_addresses=", "-c", `unix_socket_directories=${directory}`, "-c", "fsync=off"];
  const stopServer = spawnServer([join(programs, "postgres"), "-D", data, ...settings], asOwner);
  const url = new URL(`postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`);
  await untilAnswering(url);
  return databasesOn(url, async () => {
    await stopServer();
    await rm(directory, { recursive: true, force: true });
  });
}

/**
 * Ids of the user `postgres`, as which the server runs if this process runs as root, because PostgreSQL refuses to;
 * otherwise null.
 */
async function serverOwner(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const id = async (option: string) => Number((await promisify(execFile)("id", [option, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

/**
 * Runs the server under a shell that stops it when our end of the pipe closes, so that a killed test leaves no server
 * behind.
 */
function spawnServer(command: string[], options: object): () => Promise<void> {
  const script = '"$@" >/dev/null 2>&1 </dev/null & server=$!; read -r _; kill -INT $server; wait $server';
  const shell = spawn("/bin/sh", ["-c", script, "sh", ...command], { ...options, stdio: ["pipe", "ignore", "ignore"] });
  return async () => {
    const ended = new Promise((resolve) => shell.once("exit", resolve));
    shell.stdin?.end();
    await ended;
  };
}

async function untilAnswering(url: URL): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    try {
      return await asAdmin(url, "SELECT 1");
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function asAdmin(url: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function databasesOn(url: URL, stopServer: () => Promise<void>): TestPostgres {
  const made: string[] = [];
  return {
    createDatabase: async () => {
      const name = `kauke_test_${randomBytes(6).toString("hex")}`;
      await asAdmin(url, `CREATE DATABASE ${name}`);
      made.push(name);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    stop: async () => {
      for (const name of made) await asAdmin(url, `DROP DATABASE ${name} WITH (FORCE)`);
      await stopServer();
    },
  };
}
