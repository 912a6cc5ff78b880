/** For tests that count exactly: waits until mail workers know each other's counts and the owner has their metrics. */
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { testWorkers } from "./system.ts";

/** Number of processes that carry mail in test systems that do not set `KAUKE_WORKERS` themselves. */
export const mailProcesses = Math.max(1, Number(testWorkers));

/** Milliseconds after which a mail worker in this process has sent its counts to the owner. */
const SENT_AFTER_MS = 60;
/** Turns of the event loop in which sent counts pass through the owner to the other workers. */
const TURNS = 10;

/**
 * Resolves when every mail worker of a test system knows what the others had counted before this call, and the metrics
 * contain these counts. In a system without mail workers it resolves at once.
 */
export const countsKnown = () => countsKnownTo(mailProcesses);

/** Like `countsKnown`, for a test system that sets `KAUKE_WORKERS` to `workers`. */
export async function countsKnownTo(workers: number): Promise<void> {
  if (workers === 1) return;
  await wait(SENT_AFTER_MS);
  for (let turns = 0; turns < TURNS; turns++) await turn();
}
