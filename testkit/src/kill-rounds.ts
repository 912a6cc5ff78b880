/**
 * Rounds of load and kill -9 against the real server on one data directory, with a destination that is down or up, and the
 * books of both ends: what the sender was promised, what the destination got. Judges nothing; tests do.
 */
import { LoadSender } from "./load-sender.ts";
import { registerPerson } from "./person.ts";
import { makeDataDir, type ServerProcess, startServerProcess } from "./server-process.ts";
import { outages, SwitchedDestination } from "./switched-destination.ts";
import { startSystem } from "./system.ts";

/** `down`: everything is spooled. `up`: everything goes straight through while the spool drains. */
export type RoundKind = "down" | "up" | "killed while starting";

export interface KillRoundsOptions {
  plan: readonly RoundKind[];
  sessions: number;
  /** Beside those every round has, e.g. `DATABASE_URL`. */
  env?: Record<string, string>;
  /** Seconds between attempts, while the destination is down. */
  retrySeconds: number;
  drainTimeoutMs: number;
}

/** The sender's books held against the destination's. */
export interface Balance {
  acknowledged: number;
  /** Handed over without an answer at least once, acknowledged in the end or not. */
  unanswered: ReadonlySet<number>;
  /** Acknowledged and at the destination never. */
  lost: number[];
  /** Numbers taken more than once by the destination, with the eras (one per life of the server). */
  repeated: { number: number; eras: readonly number[] }[];
  damaged: readonly string[];
  refusals: ReadonlyMap<string, number>;
}

export interface Drained {
  /** What was in the queue when the last round was over. */
  spooledAtEnd: number;
  /** Files of the spool that belong to no message any more, after the drain. */
  orphans: number;
  /** What is left in the queue and the spool after the drain and a sweep. */
  left: number;
}

export interface KillRoundsResult extends Balance, Drained {
  slowestStartMs: number;
}

/** A kill comes after a random number of acknowledgements up to this one, or after the time when the machine is slow. */
const mostAcknowledged = 80;
const longestLoadMs = 3000;
const longestStartMs = 1500;
/** An alias may have 1000 messages in the spool. */
const aliases = 25;

export async function killRounds(options: KillRoundsOptions): Promise<KillRoundsResult> {
  const destination = await SwitchedDestination.start();
  const dataDir = await makeDataDir();
  const env = { ...loadSettings(destination, options.retrySeconds), ...options.env };
  try {
    const sender = await preparedSender(options.sessions, { dataDir, env });
    const startTimes: number[] = [];
    for (const kind of options.plan) {
      if (kind === "killed while starting") await killWhileStarting({ dataDir, env });
      else startTimes.push(await killUnderLoad(kind, { sender, destination, dataDir, env }));
      destination.era++;
    }
    await destination.goUp();
    const spool = await drain({ ...env, KAUKE_DATA_DIR: dataDir }, options.drainTimeoutMs);
    return { ...balance(sender, destination), ...spool, slowestStartMs: Math.round(Math.max(...startTimes)) };
  } finally {
    await destination.close();
  }
}

/** Settings of a server under load that sends to `destination`. */
export function loadSettings({ port }: SwitchedDestination, retrySeconds: number): Record<string, string> {
  return {
    KAUKE_RELAY_URL: `smtp://127.0.0.1:${port}`,
    KAUKE_RETRY_SCHEDULE: Array.from({ length: 100 }, () => `${retrySeconds}s`).join(","),
    KAUKE_LIMITS: "off",
  };
}

export interface Place {
  dataDir: string;
  env: Record<string, string>;
}

/** @returns a sender that spreads its numbers over the aliases of one person */
export async function preparedSender(sessions: number, place: Place): Promise<LoadSender> {
  const server = await startServerProcess(place);
  const person = await registerPerson(server.url);
  const addresses: string[] = [];
  for (let count = 0; count < aliases; count++) {
    const { alias, domain } = await person.createAlias({ forwardTo: `inbox${count}@inbox.example` });
    addresses.push(`${alias}@${domain}`);
  }
  await server.stop();
  return new LoadSender({ sessions, addressOf: (number) => addresses[number % addresses.length] as string });
}

interface Round extends Place {
  sender: LoadSender;
  destination: SwitchedDestination;
}

/** @returns how long the start took, ms */
async function killUnderLoad(kind: "down" | "up", { sender, destination, ...place }: Round): Promise<number> {
  if (kind === "up") await destination.goUp();
  else await destination.goDown(outages[destination.era % outages.length] as (typeof outages)[number]);
  const begun = performance.now();
  const server = await startServerProcess(place);
  const startMs = performance.now() - begun;
  const load = sender.start(server.mxPort);
  await untilAcknowledged(sender, server);
  await server.kill();
  await load.ended;
  return startMs;
}

async function killWhileStarting(place: Place): Promise<void> {
  const readyTimeoutMs = Math.random() * longestStartMs;
  const server = await startServerProcess({ ...place, readyTimeoutMs }).catch(() => null);
  await server?.kill();
}

/** In this process, where queue and spool can be looked at, until nothing is waiting. */
export async function drain(env: Record<string, string>, timeoutMs: number): Promise<Drained> {
  const system = await startSystem({ env });
  const { deliveries, bodies } = system.server.store;
  try {
    const spooledAtEnd = await deliveries.count();
    const giveUpAt = Date.now() + timeoutMs;
    while ((await deliveries.count()) > 0 && Date.now() < giveUpAt) await sleep(250);
    const left = await deliveries.count();
    const sweep = () => bodies.sweep((messageId) => deliveries.isKnownMessage(messageId), 0);
    const orphans = await sweep();
    return { spooledAtEnd, orphans, left: left + (await sweep()) };
  } finally {
    await system.close();
  }
}

export function balance({ books }: LoadSender, { taken, damaged }: SwitchedDestination): Balance {
  return {
    acknowledged: books.acknowledged.size,
    unanswered: books.unanswered,
    refusals: books.refusals,
    damaged,
    lost: [...books.acknowledged].filter((number) => !taken.has(number)),
    repeated: [...taken].filter(([, eras]) => eras.length > 1).map(([number, eras]) => ({ number, eras })),
  };
}

/** Until a random number of messages more is acknowledged. */
export async function untilAcknowledged({ books }: LoadSender, server: Pick<ServerProcess, "output">): Promise<void> {
  const before = books.acknowledged.size;
  const enough = 1 + Math.floor(Math.random() * mostAcknowledged);
  const begun = Date.now();
  for (;;) {
    const acknowledged = books.acknowledged.size - before;
    const loadMs = Date.now() - begun;
    if (acknowledged >= enough || (acknowledged > 0 && loadMs > longestLoadMs)) return;
    if (loadMs > 60_000) throw new Error(`nothing was acknowledged:\n${server.output()}`);
    await sleep(1);
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
