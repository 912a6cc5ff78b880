/** For tests that count exactly: mail workers know of each other's counts, and the owner of theirs, a moment later. */
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { testWorkers } from "./system.ts";

/** Number of processes that carry mail in systems that do not choose it themselves. */
export const mailProcesses = Math.max(1, Number(testWorkers));

/** Milliseconds after which a worker of this process has sent what it counted. */
const SENT_AFTER_MS = 60;
/** Turns of the event loop until what it sent has passed through the owner to the other workers. */
const TURNS = 10;

/**
 * Resolves when every mail worker of a test's system knows what the others counted before, and metrics contain it. A
 * single process knows at once, so there is nothing to wait for.
 */
export const countsKnown = () => countsKnownTo(mailProcesses);

/** Like `countsKnown`, for a system that chose its number of workers. */
export async function countsKnownTo(workers: number): Promise<void> {
  if (workers === 1) return;
  await wait(SENT_AFTER_MS);
  for (let turns = 0; turns < TURNS; turns++) await turn();
}
