/**
 * The worker for all age operations. One job runs at a time, because scrypt takes half a second and 256 MiB. The next
 * job is of the account that used the least of the worker's time recently, so that expensive jobs delay their own
 * account. When the queue is full, a job fails with `busy` before any computation. Nothing of a job is kept after its
 * answer.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { AgeJob, AgeJobName, AgeJobs, AgeOutcome, AgeWorker } from "../../core/age-worker.ts";
import { AppError } from "../../core/app-error.ts";
import {
  ChildWorker,
  type ChildWorkerOptions,
  type WorkerQueueOptions,
  workerQueue,
} from "../../runtime/threads/child-worker.ts";

export type AgeWorkerOptions = ChildWorkerOptions & WorkerQueueOptions;

export interface ClosableAgeWorker extends AgeWorker {
  /** Waiting jobs fail with `unavailable` at once; the running one may finish within `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const production: AgeWorkerOptions = {
  program: new URL("./age-process.ts", import.meta.url),
  waitingMax: 16,
  waitingOfAccountMax: 2,
  // A job with a text of 1.6 MB takes about 20 MiB of the heap; scrypt's memory is outside it.
  heapMaxMib: 128,
  deadlineMs: 30_000,
  startMs: 15_000,
  idleMs: 10_000,
};

export function ageWorker(options: Partial<AgeWorkerOptions> = {}): ClosableAgeWorker {
  const settings = { ...production, ...options };
  const child = new ChildWorker(settings);
  const queue = workerQueue(settings);
  let running: Promise<unknown> = Promise.resolve();

  return {
    async run<N extends AgeJobName>({ name, userId }: AgeJob<N>, input: AgeJobs[N]["input"]) {
      const answer = await queue.run({ party: userId }, () => {
        running = child.ask({ name, input });
        return running;
      });
      if (answer === null || answer === BROKEN) throw new AppError("unavailable");
      return answer as AgeOutcome<N>;
    },
    async close(graceMs = 0) {
      queue.close();
      await Promise.race([running, wait(graceMs, null, { ref: false })]);
      await child.end();
    },
  };
}

/** The child's answer when a job failed unexpectedly. */
export const BROKEN = "broken";
