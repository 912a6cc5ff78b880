/**
 * Runs work in a child process, one order at a time. V8 ends the whole process when a heap is full, even that of a
 * worker thread, so work on untrusted bytes must not run in our process. The child is started on demand, ended after an
 * idle time to free its memory, and replaced when it fails or exceeds the deadline.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { FairQueue } from "../fair-queue/fair-queue.ts";

export interface ChildWorkerOptions {
  /** File of the child's program: sends "ready" once started, then answers each order with one message. */
  program: URL;
  heapMaxMib: number;
  /** Maximum milliseconds for one order. */
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

  /**
   * Sends an order to the child. Do not call `ask` again before its answer.
   * @param deadlineMs replaces the default deadline for this order
   * @returns `null` when the child ended, could not start or exceeded the deadline
   */
  async ask(order: object, deadlineMs = this.#options.deadlineMs): Promise<unknown> {
    clearTimeout(this.#idle);
    const child = await (this.#child ??= this.#start()).catch(() => null);
    const answer = child === null ? null : await answerOf(child, order, deadlineMs);
    if (answer === null) await this.end();
    else this.#idle = setTimeout(() => void this.end(), this.#options.idleMs).unref();
    return answer;
  }

  /** Kills the child and its current order; the next order starts another child. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const starting = this.#child;
    this.#child = null;
    const child = await starting?.catch(() => null);
    if (child) await kill(child);
  }

  async #start(): Promise<ChildProcess> {
    const { program, heapMaxMib, startMs } = this.#options;
    // The environment is empty, so that the child has no access to our secrets. Its output is discarded, because it
    // could contain one.
    const child = fork(program, {
      env: {},
      // A small young generation is collected often, so that garbage takes little memory. With `--expose-gc` a child
      // can collect its whole heap between two orders.
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

  /** Called when the child has exited by itself. */
  async #forget(child: ChildProcess): Promise<void> {
    const current = this.#child;
    if ((await current?.catch(() => null)) === child && this.#child === current) this.#child = null;
  }
}

/** Sends an order and waits for its answer. @returns `null` when the child ended or did not answer by the deadline */
function answerOf(child: ChildProcess, order: object, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), deadlineMs);
    const lost = () => finish(null);
    const finish = (answer: unknown) => {
      clearTimeout(timer);
      child.off("message", finish).off("exit", lost);
      resolve(answer);
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

export interface WorkerQueueOptions {
  /** Maximum waiting jobs, of all accounts together and of one account. */
  waitingMax: number;
  waitingOfAccountMax: number;
}

export function workerQueue({ waitingMax, waitingOfAccountMax }: WorkerQueueOptions): FairQueue {
  const now = () => performance.now();
  return new FairQueue({ concurrency: 1, waitingMax, waitingOfPartyMax: waitingOfAccountMax, now });
}
