/**
 * Runs rounds of load and kill -9 against the real server on one data directory, with a destination that accepts,
 * defers, is slow or is down. Returns the records of both ends: what was acknowledged to the sender, and what the
 * destination received. Tests judge them.
 */
import { cp, stat } from "node:fs/promises";
import type { Clock } from "@kauke/server/runtime/ports";
import { openStore } from "@kauke/server/store/open-store";
import { outages, SwitchedDestination } from "../fakes/switched-destination.ts";
import { LoadSender, type LoadSenderOptions } from "../load-sender.ts";
import { logSpy } from "../log-spy.ts";
import { registerPerson } from "../person.ts";
import { makeDataDir, type ServerProcess, startServerProcess } from "../server-process.ts";
import { relayTo, startSystem } from "../system.ts";
import { type Comparison, compareRecords, type LeasedAtKills } from "./compare-records.ts";
import { type Dice, MomentWatch, moments, momentsOfTheSender } from "./kill-moments.ts";

/**
 * What happens in a round before the server is killed. `down`: the destination fails and all mail is spooled. `up`: all
 * mail is delivered at once while the spool drains. `mixed`: the destination accepts, defers or is slow, by recipient.
 * `killed while starting`: the destination does as in `mixed`, but no new mail is sent and the server is killed at a
 * random time of its start.
 */
export type RoundKind = "down" | "up" | "mixed" | "killed while starting";

export interface KillRoundsOptions {
  plan: readonly RoundKind[];
  dice: Dice;
  sessions: number;
  /** Lowest and highest number of acknowledgements in a round before its kill, between which a random one is chosen. */
  acknowledged: readonly [number, number];
  /** Seconds between delivery attempts while the destination is down. */
  retrySeconds: number;
  drainTimeoutMs: number;
  /** Settings of the server in addition to those of `loadSettings`. */
  env?: Readonly<Record<string, string>>;
  /** Number of a message that the destination accepts but does not record, to check that a loss would be detected. */
  withheld?: number;
  onProgress?: (rounds: number, acknowledged: number) => void;
}

export interface Drained {
  /** Number of messages in the queue after the last round. */
  spooledAtEnd: number;
  /** Number of spool files that belong to no message, after draining. */
  orphans: number;
  /** Number of entries left in the queue and the spool after draining and a sweep. */
  left: number;
}

export interface KillRoundsResult extends Comparison, Drained {
  slowestStartMs: number;
  /** Leased rows at the kills: one entry for each start of the server that lived long enough to count them. */
  kills: LeasedAtKills[];
  /** Number of kills by intended moment; `missed` if the moment did not occur in time. */
  aims: ReadonlyMap<string, number>;
}

/** Milliseconds after which a round ends on a slow machine, if there is at least one acknowledgement. */
const LOAD_MAX_MS = 20_000;
export const AIM_MAX_MS = 1500;
/** Milliseconds that a start may take: many, since the rounds test for losses and not for speed on a loaded machine. */
export const START_MAX_MS = 300_000;
/** Number of aliases to share the load; one alias may have 1000 messages in the spool. */
const ALIAS_COUNT = 25;

export async function killRounds(options: KillRoundsOptions): Promise<KillRoundsResult> {
  const destination = await SwitchedDestination.start();
  const dataDir = await makeDataDir();
  const env = {
    ...loadSettings(destination, options.retrySeconds),
    ...options.env,
    ...(await compileCache()),
  };
  const watch = new MomentWatch();
  try {
    destination.onMoment = watch.report;
    destination.withheld = options.withheld ?? null;
    const sender = await preparedSender({ sessions: options.sessions, onMoment: watch.report }, { dataDir, env });
    const rounds = new Rounds({ ...options, sender, destination, watch, dataDir, env });
    for (const [index, kind] of options.plan.entries()) {
      await rounds.run(kind);
      if ((index + 1) % 8 === 0) options.onProgress?.(index + 1, sender.records.acknowledged.size);
    }
    await destination.goUp();
    const spool = await drain({ ...env, KAUKE_DATA_DIR: dataDir }, { timeoutMs: options.drainTimeoutMs });
    rounds.count(spool.leasedAtStart);
    return { ...compareRecords(sender, destination), ...spool, ...rounds.figures() };
  } finally {
    await destination.close();
  }
}

/** Builds the settings of a server under load that sends to `destination`. */
export function loadSettings(destination: SwitchedDestination, retrySeconds: number): Record<string, string> {
  return {
    ...relayTo(destination),
    KAUKE_RETRY_SCHEDULE: Array.from({ length: 100 }, () => `${retrySeconds}s`).join(","),
  };
}

export interface KillPlace {
  dataDir: string;
  env: Record<string, string>;
}

/** Setting that makes servers started repeatedly cache compiled code: in the cache of the test run, if there is one. */
export async function compileCache(): Promise<{ NODE_COMPILE_CACHE: string }> {
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? (await makeDataDir()) };
}

/** Data directory in which all aliases were created once; each sender gets a copy of it. */
let prepared: Promise<{ dataDir: string; addresses: string[] }> | null = null;

/** @returns a sender that spreads its messages over the aliases of one person, in a data directory that was empty */
export async function preparedSender(
  options: Omit<LoadSenderOptions, "addressOf">,
  place: KillPlace,
): Promise<LoadSender> {
  const addresses = place.env.DATABASE_URL === undefined ? await copyPrepared(place) : await prepareAliases(place);
  return new LoadSender({ ...options, addressOf: (number) => addresses[number % addresses.length] as string });
}

async function copyPrepared({ dataDir, env }: KillPlace): Promise<string[]> {
  prepared ??= makeDataDir().then(async (made) => ({
    dataDir: made,
    addresses: await prepareAliases({ dataDir: made, env }),
  }));
  const from = await prepared;
  await cp(from.dataDir, dataDir, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() });
  return from.addresses;
}

async function prepareAliases(place: KillPlace): Promise<string[]> {
  const server = await startServerProcess({ ...place, readyTimeoutMs: START_MAX_MS });
  const person = await registerPerson(server.url);
  const addresses: string[] = [];
  for (let count = 0; count < ALIAS_COUNT; count++) {
    const { alias, domain } = await person.createAlias({ forwardTo: `inbox${count}@inbox.example` });
    addresses.push(`${alias}@${domain}`);
  }
  await server.stop();
  return addresses;
}

interface RoundParts extends KillPlace, Pick<KillRoundsOptions, "dice" | "acknowledged"> {
  sender: LoadSender;
  destination: SwitchedDestination;
  watch: MomentWatch;
}

/** Runs the successive lives of the server; each life is one era. */
class Rounds {
  readonly #parts: RoundParts;
  readonly #kills: LeasedAtKills[] = [];
  readonly #aims = new Map<string, number>();
  readonly #startTimes: number[] = [];
  #firstUncounted = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  async run(kind: RoundKind): Promise<void> {
    const { destination, dice } = this.#parts;
    if (kind === "up") await destination.goUp();
    else if (kind === "down") await destination.goDown(dice.oneOf(outages));
    else await destination.goMixed();
    await (kind === "killed while starting" ? this.#killWhileStarting() : this.#killUnderLoad(kind !== "down"));
    destination.era++;
  }

  /** Records the number of leased rows that a starting server found. */
  count(leased: number): void {
    const { era } = this.#parts.destination;
    if (era > this.#firstUncounted) this.#kills.push({ from: this.#firstUncounted, to: era - 1, leased });
    this.#firstUncounted = era;
  }

  figures(): Pick<KillRoundsResult, "kills" | "aims" | "slowestStartMs"> {
    return { kills: this.#kills, aims: this.#aims, slowestStartMs: Math.round(Math.max(...this.#startTimes)) };
  }

  async #killUnderLoad(isDestinationThere: boolean): Promise<void> {
    const { sender, dice, acknowledged, watch } = this.#parts;
    const begun = performance.now();
    const server = await startServerProcess({ ...this.#parts, readyTimeoutMs: START_MAX_MS });
    this.#startTimes.push(performance.now() - begun);
    this.count(leasesAtStart(server.output()) ?? 0);
    const load = sender.start(server.mxPort);
    await untilAcknowledged(sender, server, dice.between(...acknowledged));
    const moment = dice.oneOf(isDestinationThere ? moments : momentsOfTheSender);
    const count = dice.between(1, 6);
    const delayMs = dice.oneOf([0, 0, 0, 1, 3, 8]);
    const came = await watch.next(moment, { count, timeoutMs: AIM_MAX_MS });
    if (delayMs > 0) await sleep(delayMs);
    await server.kill();
    await load.ended;
    this.#note(came ? moment : "missed");
  }

  /** Kills the server at a random time during a start or just after. */
  async #killWhileStarting(): Promise<void> {
    const usual = this.#startTimes.toSorted((a, b) => a - b)[Math.floor(this.#startTimes.length / 2)] ?? 1500;
    const readyTimeoutMs = (usual * this.#parts.dice.between(1, 120)) / 100;
    const server = await startServerProcess({ ...this.#parts, readyTimeoutMs }).catch((thrown) => String(thrown));
    if (typeof server !== "string") await server.kill();
    const leased = leasesAtStart(typeof server === "string" ? server : server.output());
    if (leased !== null || typeof server !== "string") this.count(leased ?? 0);
    this.#note("starting");
  }

  #note(aim: string): void {
    this.#aims.set(aim, (this.#aims.get(aim) ?? 0) + 1);
  }
}

/** Reads from a starting server's log how many leased rows it found; `null` when it did not report any. */
function leasesAtStart(output: string): number | null {
  const line = output.split("\n").find((it) => it.includes('"leases_released"'));
  return line === undefined ? null : (JSON.parse(line) as { count: number }).count;
}

/** Drains the queue with a server in this process, so that queue and spool can be inspected. */
export async function drain(
  env: Record<string, string>,
  { timeoutMs, clock }: { timeoutMs: number; clock?: Clock },
): Promise<Drained & { leasedAtStart: number }> {
  const found = await inspectQueue(env);
  const system = await startSystem({ env, ...(clock === undefined ? {} : { overrides: { clock } }) });
  const { deliveries, bodies } = system.server.store;
  try {
    const giveUpAt = Date.now() + timeoutMs;
    while ((await deliveries.count()) > 0 && Date.now() < giveUpAt) await sleep(250);
    const left = await deliveries.count();
    const sweep = () => bodies.sweep((messageId) => deliveries.isKnownMessage(messageId), 0);
    const orphans = await sweep();
    return { ...found, orphans, left: left + (await sweep()) };
  } finally {
    await system.close();
  }
}

/**
 * Counts messages in the queue while no delivery worker runs; on the embedded database also rows leased when the last
 * process died.
 */
async function inspectQueue(env: Record<string, string>): Promise<{ spooledAtEnd: number; leasedAtStart: number }> {
  const log = logSpy();
  const secretKey = env.KAUKE_SECRET_KEY === undefined ? null : Buffer.from(env.KAUKE_SECRET_KEY, "base64");
  const { DATABASE_URL: databaseUrl = null, KAUKE_DATA_DIR: dataDir = null } = env;
  const store = await openStore({
    databaseUrl,
    dataDir: databaseUrl === null ? dataDir : null,
    secretKey,
    logger: log,
  });
  const spooledAtEnd = await store.deliveries.count();
  await store.close();
  const leased = log.events.find(({ event }) => event === "leases_released")?.fields.count;
  return { spooledAtEnd, leasedAtStart: Number(leased ?? 0) };
}

/** Resolves when this many further messages have been acknowledged. */
export async function untilAcknowledged(
  { records }: LoadSender,
  server: Pick<ServerProcess, "output">,
  enough: number,
): Promise<void> {
  const before = records.acknowledged.size;
  const begun = Date.now();
  for (;;) {
    const acknowledged = records.acknowledged.size - before;
    const loadMs = Date.now() - begun;
    if (acknowledged >= enough || (acknowledged > 0 && loadMs > LOAD_MAX_MS)) return;
    if (loadMs > 60_000) throw new Error(`nothing was acknowledged:\n${server.output()}`);
    await sleep(1);
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
