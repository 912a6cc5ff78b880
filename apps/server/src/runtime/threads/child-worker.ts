/**
 * Runs work in a child process, one order at a time. V8 ends the whole process when a heap is full, even that of a
 * worker thread, so work on untrusted bytes must not run in our process. The child is started on demand, ended when
 * idle, and replaced when it fails or exceeds the deadline.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { FairQueue } from "../fair-queue/fair-queue.ts";

export interface ChildWorkerOptions {
  /** File of the child's program: sends "ready" once started, then replies to each order with one message. */
  program: URL;
  heapMaxMib: number;
  deadlineMs: number;
  /** Maximum milliseconds for the start, which do not count towards an order. */
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
      // A small young generation is collected often, so that garbage takes little memory. `--expose-gc` lets a
      // child run a full garbage collection between two jobs.
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
  // The child was never started, so there is no exit to wait for.
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

/** A child with a queue. The next order is of the account that recently used the least of the child's time. */
export class SharedChild {
  readonly #child: ChildWorker;
  readonly #queue: FairQueue;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ waitingMax, waitingOfAccountMax, ...options }: SharedChildOptions) {
    const now = () => performance.now();
    this.#child = new ChildWorker(options);
    this.#queue = new FairQueue({ concurrency: 1, waitingMax, waitingOfPartyMax: waitingOfAccountMax, now });
  }

  /**
   * @param makeOrder called when the order's turn comes
   * @returns `null` when the order failed, or the child ended or exceeded the deadline
   * @throws QueueRefusal when the queue is full or closed
   */
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
