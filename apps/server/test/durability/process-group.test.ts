/**
 * Several whole processes of one server on PostgreSQL: one that is killed takes no other with it and is started again,
 * the operator sees one server, and none outlives the process that started them.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { freePort } from "@kauke/testkit/free-port";
import { compileCache, loadSettings, preparedSender, untilAcknowledged } from "@kauke/testkit/kill/kill-rounds";
import type { LoadSender } from "@kauke/testkit/load-sender";
import { processesIn } from "@kauke/testkit/process-figures";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const PROCESSES = 3;
const SESSIONS = 12;
const TIMEOUT_MS = 240_000;
const https = { KAUKE_HTTPS: "on", KAUKE_HTTPS_PORT: "0" };

const postgres = findTestPostgres();
if (!postgres.found) process.stdout.write(`tests of process groups are skipped: ${postgres.reason}\n`);

describe.skipIf(!postgres.found)("three processes", { timeout: TIMEOUT_MS }, () => {
  let database: TestPostgres;
  let destination: SwitchedDestination;
  let sender: LoadSender;
  let env: Record<string, string>;
  let dataDir: string;
  let metricsPort: number;
  let server: ServerProcess;

  const start = (settings: Record<string, string> = {}) =>
    startServerProcess({
      dataDir,
      env: { ...env, ...https, KAUKE_WORKERS: String(PROCESSES), KAUKE_METRICS_PORT: String(metricsPort), ...settings },
      readyTimeoutMs: TIMEOUT_MS,
    });

  beforeAll(async () => {
    database = await startTestPostgres();
    destination = await SwitchedDestination.start();
    [dataDir, metricsPort] = [await makeDataDir(), await freePort()];
    const secrets = {
      DATABASE_URL: await database.createDatabase(),
      KAUKE_SECRET_KEY: randomBytes(32).toString("base64"),
    };
    env = { ...loadSettings(destination, 1), ...(await compileCache()), ...secrets };
    sender = await preparedSender({ sessions: SESSIONS, reconnects: true }, { dataDir, env });
    server = await start();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.stop();
    await destination.close();
    await database.stop();
    await removeDataDirs();
  });

  const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
  const notTaken = () => [...sender.records.acknowledged].filter((it) => !destination.taken.has(it));
  async function metric(name: string): Promise<number> {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const lines = page.split("\n").filter((line) => line.startsWith(`${name} `));
    expect(lines.length).toBeLessThanOrEqual(1);
    return Number(lines[0]?.slice(name.length) ?? 0);
  }

  test("mail, the web app, the operator's calls and the metrics are those of one server", async () => {
    expect(server.workerPids()).toHaveLength(PROCESSES);
    await destination.goUp();
    const load = sender.start(server.mxPort);
    await untilAcknowledged(sender, server, 60);
    load.stop();
    await load.ended;
    await eventually(() => expect(notTaken()).toEqual([]));
    const { facts } = controlClient(controlPath(dataDir) ?? "");
    expect((await facts({})).ports).toMatchObject({
      mx: server.mxPort,
      http: server.httpPort,
      https: server.httpsPort,
    });
    const health = `http://127.0.0.1:${server.httpPort}/healthz`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(health)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const passed = await metric('kauke_messages_total{result="passed"}');
    expect(passed + (await metric('kauke_messages_total{result="kept"}'))).toBe(sender.records.acknowledged.size);
  });

  test("a mail host resumes its TLS session whichever process gets its next connection", async () => {
    let { session, isResumed } = await visit(server.mxPort);
    expect(isResumed).toBe(false);
    for (let again = 0; again < 4 * PROCESSES; again++) {
      ({ session = session, isResumed } = await visit(server.mxPort, session));
      expect(isResumed).toBe(true);
    }
  });

  test("a browser resumes its TLS session in the same way", async () => {
    const open = (session?: Buffer) =>
      connectTls({ port: server.httpsPort, rejectUnauthorized: false, ...(session && { session }) });
    const first = open();
    first.resume();
    const [session] = (await once(first, "session")) as [Buffer];
    first.destroy();
    for (let again = 0; again < 4 * PROCESSES; again++) {
      const secure = open(session);
      await once(secure, "secureConnect");
      expect(secure.isSessionReused()).toBe(true);
      secure.destroy();
    }
  });

  test("a process killed with -9 is started again while the others go on, and no acknowledged mail is lost", async () => {
    const before = server.workerPids();
    const load = sender.start(server.mxPort);
    await untilAcknowledged(sender, server, 40);
    process.kill(before[0] as number, "SIGKILL");
    await eventually(() => expect(server.workerPids()).not.toContain(before[0]));
    await untilAcknowledged(sender, server, SESSIONS);
    await eventually(() => expect(server.workerPids()).toHaveLength(PROCESSES));
    expect(server.workerPids()).toEqual(expect.arrayContaining(before.slice(1)));
    expect(server.output()).toContain('"process_ended"');
    load.stop();
    await load.ended;
  });

  test("without the process that started them all end, and the next start delivers everything", async () => {
    await server.kill();
    await eventually(() => expect(processesIn(dataDir)).toEqual([]));
    server = await start({ KAUKE_MX_PORT: String(await freePort()) });
    await endLeases();
    await eventually(() => expect(notTaken()).toEqual([]));
  });

  /** Ends the leases of killed processes, which would expire in minutes. */
  async function endLeases(): Promise<void> {
    const client = new pg.Client({ connectionString: env["DATABASE_URL"] });
    await client.connect();
    await client.query("UPDATE delivery SET leased_until = now() WHERE leased_until IS NOT NULL");
    await client.end();
  }

  test("SIGTERM stops all of them within the limit of a shutdown, also one that is blocked", async () => {
    process.kill(server.workerPids()[0] as number, "SIGSTOP");
    expect(await server.stop()).toBe(0);
    expect(processesIn(dataDir)).toEqual([]);
  });
});

/** Connects, upgrades to TLS and leaves. @returns whether the session was resumed, and one to resume next time */
async function visit(port: number, session?: Buffer): Promise<{ isResumed: boolean; session: Buffer | undefined }> {
  const plain = connect(port, "127.0.0.1");
  await once(plain, "data");
  await say(plain, "EHLO client.example");
  expect(await say(plain, "STARTTLS")).toMatch(/^220 /);
  const secure = connectTls({ socket: plain, rejectUnauthorized: false, ...(session && { session }) });
  let latest: Buffer | undefined;
  secure.on("session", (given: Buffer) => (latest = given));
  await once(secure, "secureConnect");
  const isResumed = secure.isSessionReused();
  expect(await say(secure, "QUIT")).toMatch(/^221 /);
  secure.destroy();
  return { isResumed, session: latest };
}

const say = async (socket: Socket, line: string) => {
  socket.write(`${line}\r\n`);
  return String((await once(socket, "data"))[0]);
};
