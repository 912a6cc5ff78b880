/**
 * A mail worker killed with -9 takes no other with it, and what it held is delivered by its owner; without their owner
 * all workers end. The rounds of kill -9 are in `kill-9.test.ts`.
 */
import { connect } from "node:net";
import { SwitchedDestination } from "@kauke/testkit/fakes/switched-destination";
import { freePort } from "@kauke/testkit/free-port";
import {
  compileCache,
  loadSettings,
  preparedSender,
  releasedLeases,
  untilAcknowledged,
} from "@kauke/testkit/kill/kill-rounds";
import type { LoadSender } from "@kauke/testkit/load-sender";
import { processesIn } from "@kauke/testkit/process-figures";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const SESSIONS = 20;
const TIMEOUT_MS = 240_000;
/** Milliseconds in which the destination leaves a message unanswered, so that a kill meets many messages in flight. */
const SLOW_MS = 700;

let destination: SwitchedDestination;
let sender: LoadSender;
let env: Record<string, string>;
let dataDir: string;
let metricsPort: number;
let server: ServerProcess;

beforeAll(async () => {
  destination = await SwitchedDestination.start();
  dataDir = await makeDataDir();
  metricsPort = await freePort();
  env = {
    ...loadSettings(destination, 1),
    ...(await compileCache()),
    KAUKE_ANSWER_SECONDS: "0",
    KAUKE_METRICS_PORT: String(metricsPort),
  };
  sender = await preparedSender({ sessions: SESSIONS, reconnects: true }, { dataDir, env });
  server = await start();
}, TIMEOUT_MS);
afterAll(async () => {
  await server.stop();
  await destination.close();
  await removeDataDirs();
});

const start = (settings: Record<string, string> = {}) =>
  startServerProcess({ dataDir, env: { ...env, KAUKE_WORKERS: "2", ...settings }, readyTimeoutMs: TIMEOUT_MS });
const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 20 });
const acknowledgedButNotTaken = () => [...sender.records.acknowledged].filter((it) => !destination.taken.has(it));

async function runningWorkers(): Promise<string | undefined> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return /^kauke_mail_workers (\d+)$/m.exec(page)?.[1];
}

test("a worker killed with -9 is started again while the other goes on, and what it held is delivered", {
  timeout: TIMEOUT_MS,
}, async () => {
  const workers = server.workerPids();
  expect(workers).toHaveLength(2);
  expect(await runningWorkers()).toBe("2");
  await destination.goUp(SLOW_MS);
  const load = sender.start(server.mxPort);
  await untilAcknowledged(sender, server, 40);
  process.kill(workers[0] as number, "SIGKILL");
  await eventually(() => expect(server.workerPids()).not.toContain(workers[0]));
  await untilAcknowledged(sender, server, SESSIONS);
  await eventually(() => expect(server.output()).toContain('"mail_worker_ended"'));
  await eventually(async () => expect(await runningWorkers()).toBe("2"));
  expect(server.workerPids()).toContain(workers[1]);
  load.stop();
  await load.ended;
  await destination.goUp();
  await eventually(() => expect(acknowledgedButNotTaken()).toEqual([]));
  expect(releasedLeases(server.output()).later).toBeGreaterThan(0);
});

test("when the owner is killed with -9 its workers end at once, and the next start delivers everything", {
  timeout: TIMEOUT_MS,
}, async () => {
  const workers = server.workerPids();
  await destination.goDown("full mailboxes");
  const load = sender.start(server.mxPort);
  await untilAcknowledged(sender, server, 40);
  await server.kill();
  load.stop();
  await eventually(() => expect(processesIn(dataDir)).toEqual([]));
  await eventually(async () => expect(await isOpen(server.mxPort)).toBe(false));
  await load.ended;
  expect(workers).toHaveLength(2);
  expect(acknowledgedButNotTaken().length).toBeGreaterThan(0);
  await destination.goUp();
  server = await start({ KAUKE_MX_PORT: String(server.mxPort) });
  await eventually(() => expect(acknowledgedButNotTaken()).toEqual([]));
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
