/**
 * `kauke move` as it is used: processes that are killed with -9 at ten points, a queue that a server on the target then
 * delivers, and the way back.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withDatabase } from "@kauke/server/store/migrate";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { LoadSender } from "@kauke/testkit/load-sender";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { environmentOf, runKauke } from "@kauke/testkit/programs/run-kauke";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../src/cli/kauke.ts", import.meta.url));
const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of kauke move are skipped: ${postgres.reason}\n`);

interface Settings {
  dataDir: string;
  env?: Record<string, string>;
}

/** Kills the command once it has printed this many lines. @returns whether it was killed before it ended */
function killedMove(args: readonly string[], settings: Settings, lines: number): Promise<boolean> {
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const child = spawn(process.execPath, [program, "move", ...args], {
    cwd: settings.dataDir,
    stdio: [...stdio],
    env: environmentOf(settings),
  });
  let printed = "";
  const kill = () => child.kill("SIGKILL");
  // Before the first line the command opens both databases.
  const timer = lines > 0 ? undefined : setTimeout(kill, 400 - 250 * lines);
  child.stdout?.on("data", (chunk) => {
    printed += String(chunk);
    if (lines > 0 && printed.split("\n").length > lines) kill();
  });
  return new Promise((resolve) =>
    child.on("close", (_, signal) => {
      clearTimeout(timer);
      resolve(signal === "SIGKILL");
    }),
  );
}

/** Lines after which a move is killed: while it opens, while it copies, and while it compares. */
const killPoints = isLongRun ? [0, 3, 6, 7, 8, 7, 9, 14, 38, 45] : [0, -2, 1, 5, 9, 14, 20, 26, 31, 40];
const messages = rounds(40, 10_000);
/** Of an account of their own; they are not opened. */
const aliases = rounds(0, 1_000_000);

async function moveThroughKills(args: readonly string[], settings: Settings): Promise<string> {
  for (const lines of killPoints) expect([lines, await killedMove(args, settings, lines)]).toEqual([lines, true]);
  const { code, out, err } = await runKauke(["move", ...args], settings);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (const giveUpAt = Date.now() + rounds(60_000, 1_800_000); !isSo(); ) {
    if (Date.now() > giveUpAt) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** One alias holds only some hundred waiting messages. */
async function addressesOfOthers({ url }: ServerProcess): Promise<string[]> {
  const addresses: string[] = [];
  for (let count = 1; count < rounds(1, 60); count += 1) {
    const person = await registerPerson(url, `other${count}@people.example`);
    const { alias, domain } = await person.createAlias({ forwardTo: `other${count}@inbox.example` });
    addresses.push(`${alias}@${domain}`);
  }
  return addresses;
}

async function plantAliases(dataDir: string): Promise<void> {
  await withDatabase({ databaseUrl: null, dataDir }, async (db) => {
    const userId = randomUUID();
    await sql`INSERT INTO "user" (id, auth_method, created_at, updated_at, sealed)
      VALUES (${userId}, 'email', now(), now(), '\\x00')`.execute(db);
    for (let from = 0; from < aliases; from += 20_000)
      await sql`INSERT INTO alias (id, user_id, active, created_at, address_index, sealed)
        SELECT gen_random_uuid(), ${userId}, true, now(), sha256(convert_to(n::text, 'UTF8')),
          (SELECT string_agg(sha256(convert_to(n::text || part::text, 'UTF8')), '') FROM generate_series(1, 8) part)
        FROM generate_series(${from}::int + 1, ${from}::int + 20000) n`.execute(db);
  });
}

/** Number of aliases, and a sum of all their rows that does not depend on their order. */
async function aliasSum(databaseUrl: string | null, dataDir: string): Promise<string> {
  return await withDatabase({ databaseUrl, dataDir }, async (db) => {
    await sql`SET TIME ZONE 'UTC'`.execute(db);
    const { rows } = await sql<{ sum: string }>`
      SELECT count(*) || ' ' || bit_xor(hashtextextended(to_jsonb(alias)::text, 0)) AS sum FROM alias`.execute(db);
    return String(rows[0]?.sum);
  });
}

const secondsSince = (begunMs: number) => `${Math.round((performance.now() - begunMs) / 1000)} s`;

describe.skipIf(!postgres.found)("kauke move", () => {
  let database: TestPostgres;
  let destination: SwitchedDestination;
  let env: Record<string, string>;
  const running: ServerProcess[] = [];
  beforeAll(async () => {
    [database, destination] = [await startTestPostgres(), await SwitchedDestination.start()];
    env = {
      KAUKE_DELIVERY: "relay",
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${destination.port}`,
      KAUKE_RETRY_SCHEDULE: Array.from({ length: 100 }, () => (isLongRun ? "60s" : "1s")).join(","),
      KAUKE_SPOOL_ACCOUNT_MIB: "4096",
      KAUKE_LIMITS: "off",
    };
  });
  afterAll(async () => {
    for (const server of running) await server.kill();
    await destination.close();
    await database.stop();
    await removeDataDirs();
  });
  const serve = async (settings: Settings): Promise<ServerProcess> => {
    const server = await startServerProcess(settings);
    running.push(server);
    return server;
  };
  /** @returns the messages acknowledged before the server was killed */
  const queueMail = async (server: ServerProcess, sender: LoadSender): Promise<ReadonlySet<number>> => {
    const { acknowledged } = sender.records;
    const before = acknowledged.size;
    const load = sender.start(server.mxPort);
    await until(() => acknowledged.size >= before + messages, "messages");
    await server.kill();
    load.stop();
    await load.ended;
    return new Set(acknowledged);
  };
  const allTaken = (numbers: ReadonlySet<number>) =>
    until(() => [...numbers].every((number) => destination.taken.has(number)), "every queued message");
  const expectAliases = async ({ url }: ServerProcess, { user, cookie }: Person) => {
    const response = await fetch(`${url}/api/aliases/${user.id}`, { headers: { cookie } });
    expect(await response.json()).toMatchObject({ aliases: [{ alias: "shop", forwardTo: "jonas@inbox.example" }] });
  };

  it("says what is missing, and then touches nothing", async () => {
    const dataDir = await makeDataDir();
    const url = await database.createDatabase();
    const run = async (args: readonly string[], more: Record<string, string> = {}) => {
      const { code, err } = await runKauke(args, { dataDir, env: { ...env, ...more } });
      return [code, err.trim()];
    };
    const onServer = { DATABASE_URL: url, KAUKE_SECRET_KEY: Buffer.alloc(32).toString("base64") };
    expect(await run(["move", "there"])).toEqual([2, "Name the target: postgres://user@host/database, or embedded."]);
    expect(await run(["move", "embedded"])).toEqual([
      2,
      expect.stringContaining("Set DATABASE_URL and KAUKE_SECRET_KEY"),
    ]);
    expect(await run(["move", url])).toEqual([1, `There is no data in ${dataDir}.`]);
    expect(await run(["move", url], onServer)).toEqual([2, expect.stringContaining("DATABASE_URL is set")]);
    expect(await run(["move", "embedded"], { DATABASE_URL: url })).toEqual([
      1,
      expect.stringContaining("KAUKE_SECRET_KEY"),
    ]);
    expect(await run(["move", "drop-old"])).toEqual([2, expect.stringContaining("--yes")]);
    expect(await readdir(dataDir)).toEqual([]);
  }, 60_000);

  it(
    "killed at ten points loses nothing, and a server on the target delivers each message once",
    async () => {
      const dataDir = await makeDataDir();
      const server = await serve({ dataDir, env });
      const person = await registerPerson(server.url, "jonas.move@people.example");
      const alias = await person.createAlias({ alias: "shop", forwardTo: "jonas@inbox.example" });
      const addresses = [`${alias.alias}@${alias.domain}`, ...(await addressesOfOthers(server))];
      await destination.goDown("4xx at the dot");
      const url = await database.createDatabase();
      const refused = await runKauke(["move", url], { dataDir, env });
      expect([refused.code, refused.err]).toEqual([1, "A server is running. Stop it first, then run this again.\n"]);
      const sender = new LoadSender({
        sessions: rounds(6, 20),
        restMs: rounds(50, 0),
        reconnects: true,
        addressOf: (number) => String(addresses[number % addresses.length]),
      });
      const queued = await queueMail(server, sender);

      await plantAliases(dataDir);
      const sum = await aliasSum(null, dataDir);
      const begunMs = performance.now();
      const out = await moveThroughKills([url], { dataDir, env });
      const there = secondsSince(begunMs);
      expect(await aliasSum(url, "")).toBe(sum);
      const key = (await readFile(join(dataDir, "secret.key"), "utf8")).trim();
      expect(out).toContain(`KAUKE_SECRET_KEY to the line in ${join(dataDir, "secret.key")}`);
      expect(out).not.toContain(key);
      const old = await runKauke(["users"], { dataDir, env });
      expect([old.code, old.err.includes("This data was moved to the PostgreSQL database")]).toEqual([1, true]);

      const onServer = { ...env, DATABASE_URL: url, KAUKE_SECRET_KEY: key };
      await destination.goUp();
      const second = await serve({ dataDir: await makeDataDir(), env: onServer });
      await allTaken(queued);
      await expectAliases(second, person);
      expect((await runKauke(["move", "embedded"], { dataDir: await makeDataDir(), env: onServer })).err).toContain(
        "A server is connected to that PostgreSQL",
      );
      await destination.goDown("4xx at the dot");
      const later = await queueMail(second, sender);

      expect((await runKauke(["move", "drop-old", "--yes"], { dataDir, env: onServer })).code).toBe(0);
      const returnedMs = performance.now();
      await moveThroughKills(["embedded"], { dataDir, env: onServer });
      printFigures("kauke move", { aliases, messages, there, back: secondsSince(returnedMs) });
      expect(await aliasSum(null, dataDir)).toBe(sum);
      await destination.goUp();
      const third = await serve({ dataDir, env: { ...env, KAUKE_SECRET_KEY: key } });
      await allTaken(later);
      await expectAliases(third, person);
      // A message whose reply the killed server did not send may have been accepted, and is sent again.
      const { unanswered } = sender.records;
      const twice = [...destination.taken].filter(([number, eras]) => eras.length > 1 && !unanswered.has(number));
      expect(twice).toEqual([]);
      expect(destination.damaged).toEqual([]);
    },
    rounds(600_000, 7_200_000),
  );
});
