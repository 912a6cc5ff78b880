/**
 * Work in a process of its own, one order at a time. V8 answers a full heap by ending the process, a worker thread's host
 * included, so what computes on a stranger's bytes must not share ours. The child is started when it is needed, ended when it
 * was idle for a while, which gives its memory back, and replaced when it breaks or takes too long.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export interface ChildWorkerOptions {
  /** Says "ready" when it is, then answers each message with one. */
  program: URL;
  heapMaxMib: number;
  /** For one order. */
  deadlineMs: number;
  /** For the start, which no order pays for. */
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
   * Ask again only when the answer is there.
   * @param deadlineMs when this order needs another one
   * @returns `null` when the child ended, could not start or took too long
   */
  async ask(order: object, deadlineMs = this.#options.deadlineMs): Promise<unknown> {
    clearTimeout(this.#idle);
    const child = await (this.#child ??= this.#start()).catch(() => null);
    const answer = child === null ? null : await answerOf(child, order, deadlineMs);
    if (answer === null) await this.end();
    else this.#idle = setTimeout(() => void this.end(), this.#options.idleMs).unref();
    return answer;
  }

  /** Whatever it does is over; the next order gets another child. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const starting = this.#child;
    this.#child = null;
    const child = await starting?.catch(() => null);
    if (child) await kill(child);
  }

  async #start(): Promise<ChildProcess> {
    const { program, heapMaxMib, startMs } = this.#options;
    // An empty environment: no secret of ours is within its reach. Nothing of what it prints is kept, for it could name one.
    const child = fork(program, {
      env: {},
      execArgv: [`--max-old-space-size=${heapMaxMib}`],
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
    // An idle one holds up nobody's end.
    child.unref();
    child.channel?.unref();
    child.once("exit", () => void this.#forget(child));
    return child;
  }

  /** Ended by itself while nobody asked. */
  async #forget(child: ChildProcess): Promise<void> {
    const current = this.#child;
    if ((await current?.catch(() => null)) === child && this.#child === current) this.#child = null;
  }
}

/** @returns `null` when there is none */
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
  // Never started: there is nothing to wait for.
  if (child.pid === undefined || !child.kill("SIGKILL")) return;
  child.ref();
  await gone;
}
