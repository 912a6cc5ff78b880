/**
 * The one worker for all work with age: scrypt takes half a second and 256 MiB, so two at once are never run. Some wait; beyond
 * that the caller hears `busy`, before anything was computed. What a job holds is forgotten with its answer.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { AgeJobName, AgeOutcome, AgeWorker } from "../core/age-worker/age-worker.ts";
import { AppError } from "../core/app-error.ts";
import { ChildWorker, type ChildWorkerOptions } from "./child-worker.ts";

export interface AgeWorkerOptions extends ChildWorkerOptions {
  /** Jobs that may wait for the running one. */
  waitingMax: number;
}

export interface ClosableAgeWorker extends AgeWorker {
  /** What waits is answered `unavailable` at once, what runs may finish within the grace. */
  close(graceMs?: number): Promise<void>;
}

const production: AgeWorkerOptions = {
  program: new URL("./age-process.ts", import.meta.url),
  waitingMax: 8,
  // A text of 1.6 MB costs some 20 MiB; scrypt's memory is not of this heap.
  heapMaxMib: 128,
  deadlineMs: 30_000,
  startMs: 15_000,
  idleMs: 10_000,
};

export function ageWorker(options: Partial<AgeWorkerOptions> = {}): ClosableAgeWorker {
  const settings = { ...production, ...options };
  const child = new ChildWorker(settings);
  const waiting: (() => void)[] = [];
  let running: Promise<unknown> | null = null;
  let isClosed = false;

  async function run(order: object): Promise<unknown> {
    if (running !== null) await new Promise<void>((resolve) => waiting.push(resolve));
    if (isClosed) return null;
    const answer = child.ask(order);
    running = answer;
    try {
      return await answer;
    } finally {
      next();
    }
  }

  /** The turn goes straight to the next one, so that nobody who comes just now gets in between. */
  function next(): void {
    const turn = waiting.shift();
    if (turn === undefined) running = null;
    else turn();
  }

  return {
    async run<N extends AgeJobName>(name: N, wish: object) {
      if (isClosed) throw new AppError("unavailable");
      if (running !== null && waiting.length >= settings.waitingMax) throw new AppError("busy");
      const answer = await run({ name, wish });
      if (answer === null || answer === BROKEN) throw new AppError("unavailable");
      return answer as AgeOutcome<N>;
    },
    async close(graceMs = 0) {
      isClosed = true;
      for (const turn of waiting.splice(0)) turn();
      if (running !== null) await Promise.race([running, wait(graceMs, null, { ref: false })]);
      await child.end();
    },
  };
}

/** The child's answer when a job threw what nobody planned. */
export const BROKEN = "broken";
