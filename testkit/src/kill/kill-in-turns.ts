/**
 * Runs two servers on one PostgreSQL, sharing the MX port, under load: one is killed with -9 while the other continues
 * alone, then it is started again; in every fourth of these rounds both are killed at once. If the servers have
 * several processes each, every other round instead kills one of these. Returns the records of both ends; tests judge them.
 */
import { SwitchedDestination } from "../fakes/switched-destination.ts";
import { freePort } from "../free-port.ts";
import { makeDataDir, type ServerProcess, startServerProcess } from "../server-process.ts";
import { type Comparison, compareRecords } from "./compare-records.ts";
import { type Dice, MomentWatch, moments } from "./kill-moments.ts";
import {
  compileCache,
  type Drained,
  drain,
  loadSettings,
  preparedSender,
  START_MAX_MS,
  untilAcknowledged,
} from "./kill-rounds.ts";

export interface KillInTurnsOptions {
  /** Settings of both servers: `DATABASE_URL` and the secret key. */
  env: Record<string, string>;
  /** Number of processes of each server (`KAUKE_WORKERS`). */
  workers: number;
  rounds: number;
  dice: Dice;
  sessions: number;
  /** Lowest and highest number of acknowledgements before a kill, between which a random one is chosen. */
  acknowledged: readonly [number, number];
  /** Returns the number of queue rows that are leased now. */
  countLeased(): Promise<number>;
  drainTimeoutMs: number;
}

export interface KillInTurnsResult extends Comparison, Drained {
  /** Total of rows leased at all kills, by either process. */
  leased: number;
  kills: number;
  workersKilled: number;
  /** Messages acknowledged by one server while the other was down. */
  acknowledgedAlone: number;
}

/** Both servers are killed at once in every round whose number is a multiple of this. */
const BOTH_EVERY_ROUNDS = 4;
const ALONE_ACKNOWLEDGED = 10;
const RETRY_SECONDS = 2;
/**
 * Milliseconds by which the clock is set ahead while the queue is drained: more than the longest lease, which an
 * attempt has that continues after its SMTP transaction.
 */
const PAST_LEASES_MS = 12 * 60_000;

export async function killInTurns(options: KillInTurnsOptions): Promise<KillInTurnsResult> {
  const destination = await SwitchedDestination.start();
  const watch = new MomentWatch();
  destination.onMoment = watch.report;
  const env = { ...loadSettings(destination, RETRY_SECONDS), ...(await compileCache()), ...options.env };
  const withWorkers = { ...env, KAUKE_WORKERS: String(options.workers) };
  try {
    const loadOptions = { sessions: options.sessions, onMoment: watch.report, reconnects: true };
    const sender = await preparedSender(loadOptions, { dataDir: await makeDataDir(), env });
    const pair = await Pair.start(withWorkers);
    const load = sender.start(pair.mxPort);
    const figures = { leased: 0, kills: 0, workersKilled: 0, acknowledgedAlone: 0 };
    for (let round = 0; round < options.rounds; round++) {
      await destination.goMixed();
      await untilAcknowledged(sender, pair, options.dice.between(...options.acknowledged));
      const count = options.dice.between(1, 6);
      await watch.next(options.dice.oneOf(moments), { count, timeoutMs: 1500 });
      const { servers: victims, worker } = victimsOf(round, options);
      const leased = options.countLeased();
      await pair.kill(victims);
      if (worker !== null) figures.workersKilled += pair.killWorker(worker, options.dice);
      figures.kills += victims.length;
      figures.leased += Math.max(await leased, await options.countLeased());
      const before = sender.records.acknowledged.size;
      if (victims.length === 1) await untilAcknowledged(sender, pair, ALONE_ACKNOWLEDGED);
      figures.acknowledgedAlone += sender.records.acknowledged.size - before;
      await pair.startAgain(victims);
      destination.era++;
    }
    load.stop();
    await load.ended;
    await pair.stop();
    await destination.goUp();
    const clock = { now: () => new Date(Date.now() + PAST_LEASES_MS) };
    const spool = await drain(env, { timeoutMs: options.drainTimeoutMs, clock });
    return { ...compareRecords(sender, destination), ...spool, ...figures };
  } finally {
    await destination.close();
  }
}

/** Chooses the servers that a round kills, or the server of which it kills one process of several. */
function victimsOf(round: number, { workers }: KillInTurnsOptions): { servers: number[]; worker: number | null } {
  if (workers > 1 && round % 2 === 0) return { servers: [], worker: (round / 2) % 2 };
  const turn = workers > 1 ? (round - 1) / 2 : round;
  return { servers: turn % BOTH_EVERY_ROUNDS === BOTH_EVERY_ROUNDS - 1 ? [0, 1] : [turn % 2], worker: null };
}

/** Both servers on one MX port, each with its own data directory. */
class Pair {
  readonly mxPort: number;
  readonly #env: Record<string, string>;
  readonly #servers: ServerProcess[];

  private constructor(mxPort: number, env: Record<string, string>, servers: ServerProcess[]) {
    this.mxPort = mxPort;
    this.#env = env;
    this.#servers = servers;
  }

  static async start(env: Record<string, string>): Promise<Pair> {
    const mxPort = await freePort();
    const onPort = { ...env, KAUKE_MX_PORT: String(mxPort) };
    const options = { env: onPort, readyTimeoutMs: START_MAX_MS };
    const servers = await Promise.all([startServerProcess(options), startServerProcess(options)]);
    return new Pair(mxPort, onPort, servers);
  }

  readonly output = () => this.#servers.map((server) => server.output()).join("\n");

  async kill(victims: readonly number[]): Promise<void> {
    await Promise.all(victims.map((index) => (this.#servers[index] as ServerProcess).kill()));
  }

  /** Kills one of the processes of a server, which then starts another. @returns number killed: 0 if none runs now */
  killWorker(index: number, dice: Dice): number {
    const pids = (this.#servers[index] as ServerProcess).workerPids();
    if (pids.length === 0) return 0;
    process.kill(dice.oneOf(pids), "SIGKILL");
    return 1;
  }

  async startAgain(victims: readonly number[]): Promise<void> {
    const start = async (index: number) => {
      const { dataDir } = this.#servers[index] as ServerProcess;
      this.#servers[index] = await startServerProcess({ env: this.#env, dataDir, readyTimeoutMs: START_MAX_MS });
    };
    await Promise.all(victims.map(start));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}
