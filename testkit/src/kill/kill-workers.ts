/**
 * Runs rounds of load against a server with mail workers. Each round ends with kill -9 of one worker, of all workers,
 * or of the owner process. After a kill of workers the server and the load continue. Returns what the sender and the
 * destination recorded; tests judge it.
 */
import { outages, SwitchedDestination } from "../fakes/switched-destination.ts";
import type { LoadSender } from "../load-sender.ts";
import { processesIn } from "../process-figures.ts";
import { makeDataDir, type ServerProcess, startServerProcess } from "../server-process.ts";
import { compareRecords, type LeasedAtKills } from "./compare-records.ts";
import { MomentWatch, moments, momentsOfTheSender } from "./kill-moments.ts";
import {
  AIM_MAX_MS,
  compileCache,
  drain,
  type KillRoundsOptions,
  type KillRoundsResult,
  loadSettings,
  type Place,
  preparedSender,
  type RoundKind,
  releasedLeases,
  START_MAX_MS,
  untilAcknowledged,
} from "./kill-rounds.ts";

export interface WorkerRound {
  kind: RoundKind;
  victim: "worker" | "owner";
}

export interface WorkerRoundsOptions extends Omit<KillRoundsOptions, "plan"> {
  /** Rounds in order. In rounds of the kind `killed while starting` the owner is killed, whatever their `victim` is. */
  plan: readonly WorkerRound[];
}

export interface WorkerRoundsResult extends KillRoundsResult {
  workersKilled: number;
  ownersKilled: number;
  /** Longest time in milliseconds that workers outlived their owner. */
  outlivedMs: number;
}

/**
 * Outages that can begin while the server runs. Closing the port would also cut connections on which the destination has
 * accepted a message and not replied yet; the server must then repeat it.
 */
const answeringOutages = outages.filter((outage) => outage !== "closed port");
const WORKERS = 2;
/** On average, one of this many rounds with the victim `worker` kills all workers at once. */
const ALL_WORKERS_EVERY = 5;
/** Milliseconds for which a worker may outlive its killed owner before the test fails. */
const OUTLIVE_MAX_MS = 60_000;

export async function killWorkerRounds(options: WorkerRoundsOptions): Promise<WorkerRoundsResult> {
  const destination = await SwitchedDestination.start();
  const dataDir = await makeDataDir();
  const usual = { ...loadSettings(destination, options.retrySeconds), ...options.env, ...(await compileCache()) };
  const env = { ...usual, KAUKE_WORKERS: String(WORKERS) };
  const watch = new MomentWatch();
  try {
    destination.onMoment = watch.report;
    destination.withheld = options.withheld ?? null;
    const loadOptions = { sessions: options.sessions, onMoment: watch.report, reconnects: true };
    const sender = await preparedSender(loadOptions, { dataDir, env: usual });
    const rounds = new WorkerRounds({ ...options, sender, destination, watch, dataDir, env });
    for (const [index, round] of options.plan.entries()) {
      await rounds.run(round);
      if ((index + 1) % 8 === 0) options.onProgress?.(index + 1, sender.records.acknowledged.size);
    }
    await rounds.end();
    await destination.goUp();
    const spool = await drain({ ...usual, KAUKE_DATA_DIR: dataDir }, { timeoutMs: options.drainTimeoutMs });
    rounds.count(spool.leasedAtStart);
    return { ...compareRecords(sender, destination), ...spool, ...rounds.figures() };
  } finally {
    await destination.close();
  }
}

interface RoundParts extends Place, Pick<WorkerRoundsOptions, "dice" | "acknowledged"> {
  sender: LoadSender;
  destination: SwitchedDestination;
  watch: MomentWatch;
}

interface Life {
  server: ServerProcess;
  load: ReturnType<LoadSender["start"]>;
}

/** Starts and kills the owner again and again. Each of its lives is one era, in which workers may be killed. */
class WorkerRounds {
  readonly #parts: RoundParts;
  readonly #kills: LeasedAtKills[] = [];
  readonly #aims = new Map<string, number>();
  readonly #startTimes: number[] = [];
  #life: Life | null = null;
  #firstUncounted = 0;
  #heldByWorkers = 0;
  #workersKilled = 0;
  #ownersKilled = 0;
  #outlivedMs = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  async run({ kind, victim }: WorkerRound): Promise<void> {
    const { destination, dice } = this.#parts;
    if (kind === "up") await destination.goUp();
    else if (kind === "down") await destination.goDown(dice.oneOf(this.#life === null ? outages : answeringOutages));
    else await destination.goMixed();
    if (kind === "killed while starting") return await this.end().then(() => this.#killWhileStarting());
    const life = (this.#life ??= await this.#begin());
    await this.#aim(life, kind !== "down");
    await (victim === "owner" ? this.#killOwner(life) : this.#killWorkers(life));
  }

  /** Kills the owner if it runs. */
  async end(): Promise<void> {
    if (this.#life !== null) await this.#killOwner(this.#life);
  }

  /** Records the number of leased rows that a starting owner found. */
  count(leased: number): void {
    const { era } = this.#parts.destination;
    const lives = { from: this.#firstUncounted, to: era - 1 };
    if (era > this.#firstUncounted) this.#kills.push({ ...lives, leased, heldByWorkers: this.#heldByWorkers });
    this.#firstUncounted = era;
    this.#heldByWorkers = 0;
  }

  figures() {
    return {
      kills: this.#kills,
      aims: this.#aims,
      slowestStartMs: Math.round(Math.max(...this.#startTimes)),
      workersKilled: this.#workersKilled,
      ownersKilled: this.#ownersKilled,
      outlivedMs: Math.round(this.#outlivedMs),
    };
  }

  async #begin(): Promise<Life> {
    const begun = performance.now();
    const server = await startServerProcess({ ...this.#parts, readyTimeoutMs: START_MAX_MS });
    this.#startTimes.push(performance.now() - begun);
    this.count(releasedLeases(server.output()).atStart ?? 0);
    return { server, load: this.#parts.sender.start(server.mxPort) };
  }

  /** Waits until the moment chosen for the next kill. */
  async #aim({ server }: Life, isDestinationThere: boolean): Promise<void> {
    const { sender, dice, acknowledged, watch } = this.#parts;
    await untilAcknowledged(sender, server, dice.between(...acknowledged));
    const moment = dice.oneOf(isDestinationThere ? moments : momentsOfTheSender);
    const count = dice.between(1, 6);
    const delayMs = dice.oneOf([0, 0, 0, 1, 3, 8]);
    const came = await watch.next(moment, { count, timeoutMs: AIM_MAX_MS });
    if (delayMs > 0) await sleep(delayMs);
    this.#note(came ? moment : "missed");
  }

  async #killWorkers({ server }: Life): Promise<void> {
    const { dice } = this.#parts;
    const isForAll = dice.between(1, ALL_WORKERS_EVERY) === 1;
    const chosen = dice.between(0, WORKERS - 1);
    await until(() => server.workerPids().length > 0, "no worker runs");
    const pids = server.workerPids();
    const victims = isForAll ? pids : [pids[chosen % pids.length] as number];
    for (const pid of victims) process.kill(pid, "SIGKILL");
    this.#workersKilled += victims.length;
  }

  async #killOwner({ server, load }: Life): Promise<void> {
    this.#life = null;
    await server.kill();
    load.stop();
    await this.#untilAllEnded();
    await load.ended;
    this.#heldByWorkers += releasedLeases(server.output()).later;
    this.#ownersKilled++;
    this.#parts.destination.era++;
  }

  /** Starts the owner and kills it at a random time of its start, while its workers may be starting too. */
  async #killWhileStarting(): Promise<void> {
    const usual = this.#startTimes.toSorted((a, b) => a - b)[Math.floor(this.#startTimes.length / 2)] ?? 1500;
    const readyTimeoutMs = (usual * this.#parts.dice.between(1, 120)) / 100;
    const server = await startServerProcess({ ...this.#parts, readyTimeoutMs }).catch((thrown) => String(thrown));
    if (typeof server !== "string") await server.kill();
    await this.#untilAllEnded();
    const leased = releasedLeases(typeof server === "string" ? server : server.output()).atStart;
    if (leased !== null || typeof server !== "string") this.count(leased ?? 0);
    this.#note("starting");
    this.#ownersKilled++;
    this.#parts.destination.era++;
  }

  async #untilAllEnded(): Promise<void> {
    const begun = performance.now();
    const { dataDir } = this.#parts;
    await until(() => processesIn(dataDir).length === 0, "a worker goes on without its owner");
    this.#outlivedMs = Math.max(this.#outlivedMs, performance.now() - begun);
  }

  #note(aim: string): void {
    this.#aims.set(aim, (this.#aims.get(aim) ?? 0) + 1);
  }
}

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const giveUpAt = performance.now() + OUTLIVE_MAX_MS;
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error(otherwise);
    await sleep(2);
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
