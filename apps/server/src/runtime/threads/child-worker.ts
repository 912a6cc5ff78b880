/** Runs orders in a child process: V8 ends the whole process when a heap is full, even that of a worker thread. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { FairQueue } from "../fair-queue/fair-queue.ts";

export interface ChildWorkerOptions {
  /** The child's program: sends "ready", then replies to each order with one message. */
  program: URL;
  heapMaxMib: number;
  deadlineMs: number;
  /** Start timeout in milliseconds, which does not count towards an order's. */
  startMs: number;
  idleMs: number;
}

export class ChildWorker {
  readonly #options: ChildWorkerOptions;
  #child: Promise<ChildProcess> | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ChildWorkerOptions) {
    this.#options = options;
  }

  /** Call once at a time. @returns `null` when the child ended, could not start or exceeded the deadline */
  async ask(order: object, deadlineMs = this.#options.deadlineMs): Promise<unknown> {
    clearTimeout(this.#idle);
    const child = await (this.#child ??= this.#start()).catch(() => null);
    const reply = child === null ? null : await replyOf(child, order, deadlineMs);
    if (reply === null) await this.end();
    else this.#idle = setTimeout(() => void this.end(), this.#options.idleMs).unref();
    return reply;
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const starting = this.#child;
    this.#child = null;
    const child = await starting?.catch(() => null);
    if (child) await kill(child);
  }

  async #start(): Promise<ChildProcess> {
    const { program, heapMaxMib, startMs } = this.#options;
    // Without environment and output, the child has no access to our secrets and can't print one.
    const child = fork(program, {
      env: {},
      // A small young generation is collected often. With `--expose-gc` a child can run a full collection between jobs.
      execArgv: [`--max-old-space-size=${heapMaxMib}`, "--max-semi-space-size=4", "--expose-gc"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("error", () => {});
    const isReady = once(child, "message").then(() => true);
    const hasEnded = once(child, "exit").then(() => false);
    const tooLate = wait(startMs, false, { ref: false });
    if (!(await Promise.race([isReady, hasEnded, tooLate]).catch(() => false))) {
      await kill(child);
      throw new Error("the child did not start");
    }
    // An idle child must not keep the process alive.
    child.unref();
    child.channel?.unref();
    child.once("exit", () => void this.#forget(child));
    return child;
  }

  async #forget(child: ChildProcess): Promise<void> {
    const current = this.#child;
    if ((await current?.catch(() => null)) === child && this.#child === current) this.#child = null;
  }
}

function replyOf(child: ChildProcess, order: object, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), deadlineMs);
    const lost = () => finish(null);
    const finish = (reply: unknown) => {
      clearTimeout(timer);
      child.off("message", finish).off("exit", lost);
      resolve(reply);
    };
    child.on("message", finish).on("exit", lost);
    if (child.connected) child.send(order, (error) => error && lost());
    else lost();
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  // The child never started, so there is no exit to wait for.
  if (child.pid === undefined || !child.kill("SIGKILL")) return;
  child.ref();
  await gone;
}

const BROKEN = "broken";

/** Runs a child: replies to each order with the result of `work`, but not with errors, which may contain secrets. */
export function serveOrders<Order>(work: (order: Order) => Promise<unknown>): void {
  process.on("message", (order: Order) => {
    const respond = (result: unknown) => process.send?.(result);
    void work(order).then(respond, () => respond(BROKEN));
  });
  process.on("disconnect", () => process.exit(0));
  // Ctrl-C reaches the whole process group; the parent decides when the child ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  process.send?.("ready");
}

export interface SharedChildOptions extends ChildWorkerOptions {
  waitingMax: number;
  waitingOfAccountMax: number;
}

/** A child with a queue. The account that recently used the least of the child's time comes first. */
export class SharedChild {
  readonly #child: ChildWorker;
  readonly #queue: FairQueue;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ waitingMax, waitingOfAccountMax, ...options }: SharedChildOptions) {
    const now = () => performance.now();
    this.#child = new ChildWorker(options);
    this.#queue = new FairQueue({ concurrency: 1, waitingMax, waitingOfPartyMax: waitingOfAccountMax, now });
  }

  /** @returns `null` when the order failed or timed out @throws QueueRefusal when the queue is full or closed */
  async ask(userId: string, makeOrder: () => object): Promise<unknown> {
    const reply = await this.#queue.run({ party: userId }, () => (this.#running = this.#child.ask(makeOrder())));
    return reply === BROKEN ? null : reply;
  }

  /** Waiting orders fail at once; the running one may finish within `graceMs`. */
  async close(graceMs = 0): Promise<void> {
    this.#queue.close();
    await Promise.race([this.#running, wait(graceMs, null, { ref: false })]);
    await this.#child.end();
  }
}
