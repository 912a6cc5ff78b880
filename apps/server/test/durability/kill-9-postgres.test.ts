/** Several processes on one PostgreSQL: killing one loses nothing, and no process takes what another one has leased. */
import { randomBytes } from "node:crypto";
import { WAKE_CHANNEL } from "@kauke/server/store/change-signals";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { explainRepeats } from "@kauke/testkit/kill/compare-records";
import { type KillInTurnsOptions, killInTurns } from "@kauke/testkit/kill/kill-in-turns";
import { dice } from "@kauke/testkit/kill/kill-moments";
import { compileCache, loadSettings, preparedSender } from "@kauke/testkit/kill/kill-rounds";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { startSystem } from "@kauke/testkit/system";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";

const SESSIONS = 20;
const TIMEOUT_MS = isLongRun ? 3_600_000 : 240_000;
const DRAIN_TIMEOUT_MS = isLongRun ? 600_000 : 120_000;

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of kill -9 on PostgreSQL are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("on PostgreSQL", () => {
  let database: TestPostgres;
  let env: Record<string, string>;
  let client: pg.Client;

  beforeEach(async () => {
    database = await startTestPostgres();
    const url = await database.createDatabase();
    env = { DATABASE_URL: url, KAUKE_SECRET_KEY: randomBytes(32).toString("base64") };
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.stop();
  });
  afterAll(removeDataDirs);

  const leaseTokens = async () => {
    const query = "SELECT lease_token FROM delivery WHERE lease_token IS NOT NULL ORDER BY 1";
    return (await client.query<{ lease_token: string }>(query)).rows.map((row) => row.lease_token);
  };

  async function killThem(name: string, options: Pick<KillInTurnsOptions, "rounds" | "workers">) {
    const rolled = dice();
    process.stdout.write(`${name}: KAUKE_TEST_SEED=${rolled.seed}\n`);
    const begun = performance.now();
    const result = await killInTurns({
      ...options,
      env,
      dice: rolled,
      sessions: SESSIONS,
      acknowledged: [10, 60],
      countLeased: async () => (await leaseTokens()).length,
      drainTimeoutMs: DRAIN_TIMEOUT_MS,
    });
    const { bySender, byServer } = explainRepeats(result, []);
    const unanswered = [...result.unanswered.values()].reduce((all, times) => all + times, 0);
    printFigures(name, {
      kills: result.kills,
      "processes killed alone": result.workersKilled,
      acknowledged: result.acknowledged,
      "of these by the one left alone": result.acknowledgedAlone,
      lost: result.lost.length,
      "unanswered at a kill": unanswered,
      "of these repeated": bySender,
      "leased at a kill": result.leased,
      "of these repeated by us": byServer,
      "spooled at the end": result.spooledAtEnd,
      refusals: JSON.stringify([...result.refusals]),
      seconds: Math.round((performance.now() - begun) / 1000),
    });
    expect(result.lost).toEqual([]);
    expect(result.damaged).toEqual([]);
    expect(result.left).toBe(0);
    expect(result.acknowledgedAlone).toBeGreaterThan(0);
    expect(unanswered).toBeLessThanOrEqual((result.kills + result.workersKilled) * SESSIONS);
    expect(byServer).toBeLessThanOrEqual(result.leased);
    return result;
  }

  async function countConnections(): Promise<number> {
    const query =
      "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    return (await client.query<{ count: number }>(query)).rows[0]?.count ?? 0;
  }

  test.runIf(isLongRun)(
    "two processes are killed in turns while the other goes on, and nothing is lost",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      await killThem("kill -9 in turns", { rounds: 60, workers: 1 });
    },
  );

  test.runIf(isLongRun)(
    "two servers of two processes are killed in turns, and nothing is lost",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const { workersKilled } = await killThem("kill -9 in turns, with several processes", { rounds: 60, workers: 2 });
      expect(workersKilled).toBeGreaterThan(0);
    },
  );

  test.runIf(isLongRun)(
    "each of four processes keeps at most eleven connections to PostgreSQL",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const workers = 4;
      const destination = await SwitchedDestination.start();
      const settings = { ...loadSettings(destination, 1), ...(await compileCache()), ...env };
      const sender = await preparedSender({ sessions: SESSIONS }, { dataDir: await makeDataDir(), env: settings });
      const server = await startServerProcess({ env: { ...settings, KAUKE_WORKERS: String(workers) } });
      try {
        const load = sender.start(server.mxPort);
        let most = 0;
        while (sender.records.acknowledged.size < 1000) most = Math.max(most, await countConnections());
        load.stop();
        await load.ended;
        printFigures("connections to PostgreSQL", { workers, most });
        expect(server.workerPids()).toHaveLength(workers);
        expect(most).toBeGreaterThan(0);
        expect(most).toBeLessThanOrEqual(11 * workers);
      } finally {
        await server.stop();
        await destination.close();
      }
    },
  );

  test("a process that starts leaves the leases of a running one alone, and takes over a killed one's when they expire", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const messages = 12;
    const destination = await SwitchedDestination.start();
    const settings = { ...loadSettings(destination, 1), ...env };
    let aheadMs = 0;
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    try {
      const sender = await preparedSender({ sessions: 4 }, { dataDir: await makeDataDir(), env: settings });
      await destination.goDown("full mailboxes");
      const first = await startServerProcess({ env: settings });
      const load = sender.start(first.mxPort);
      await until(() => sender.records.acknowledged.size >= messages);
      load.stop();
      await load.ended;
      const { size } = sender.records.acknowledged;
      await destination.goSilent();
      await until(async () => (await leaseTokens()).length === size);
      const held = await leaseTokens();

      const second = await startSystem({ env: settings, overrides: { clock } });
      const { deliveries } = second.server.store;
      const claim = async () => (await deliveries.claim({ now: clock.now(), leaseMs: 60_000, limit: 100 })).deliveries;
      try {
        expect(await claim()).toEqual([]);
        await first.kill();
        expect(await claim()).toEqual([]);
        expect(await leaseTokens()).toEqual(held);

        await destination.goUp();
        aheadMs = 61_000;
        await client.query(`SELECT pg_notify('${WAKE_CHANNEL}', '')`);
        await until(async () => (await deliveries.count()) === 0);
        expect([...destination.taken.keys()].toSorted()).toEqual([...sender.records.acknowledged].toSorted());
        expect([...destination.taken.values()].filter((eras) => eras.length > 1)).toEqual([]);
      } finally {
        await second.close();
      }
    } finally {
      await destination.close();
    }
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
