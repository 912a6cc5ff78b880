/** Queue of the jobs for one worker process, which does one job at a time. */
import { FairQueue } from "../fair-queue/fair-queue.ts";

export interface WorkerQueueOptions {
  /** Maximum waiting jobs, of all accounts together and of one account. */
  waitingMax: number;
  waitingOfAccountMax: number;
}

export function workerQueue({ waitingMax, waitingOfAccountMax }: WorkerQueueOptions): FairQueue {
  const now = () => performance.now();
  return new FairQueue({ concurrency: 1, waitingMax, waitingOfPartyMax: waitingOfAccountMax, now });
}
