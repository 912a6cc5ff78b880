/** All age operations, one at a time in a child process, because scrypt takes half a second and 256 MiB. */

import type { AgeJob, AgeJobName, AgeJobs, AgeOutcome, AgeWorker } from "../../core/age-worker.ts";
import { AppError } from "../../core/app-error.ts";
import { bounds } from "../../limits/table.ts";
import { SharedChild, type SharedChildOptions } from "../../runtime/threads/child-worker.ts";

export interface ClosableAgeWorker extends AgeWorker {
  /** Waiting jobs fail with `unavailable` at once; the running one may finish within `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const production: SharedChildOptions = {
  program: new URL("./age-process.ts", import.meta.url),
  waitingMax: bounds.ageJobs.waiting,
  waitingOfAccountMax: bounds.ageJobs.account,
  // A job with a text of 1.6 MB takes about 20 MiB of the heap; scrypt's memory is outside it.
  heapMaxMib: 128,
  deadlineMs: bounds.ageJobs.deadlineMs,
  startMs: 15_000,
  idleMs: 10_000,
};

export function ageWorker(options: Partial<SharedChildOptions> = {}): ClosableAgeWorker {
  const child = new SharedChild({ ...production, ...options });
  return {
    async run<N extends AgeJobName>({ name, userId }: AgeJob<N>, input: AgeJobs[N]["input"]) {
      const outcome = await child.ask(userId, () => ({ name, input }));
      if (outcome === null) throw new AppError("unavailable");
      return outcome as AgeOutcome<N>;
    },
    close: (graceMs) => child.close(graceMs),
  };
}
