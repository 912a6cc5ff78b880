/**
 * Requests `/healthz` from a thread of its own until told to end: an attack in the same thread would slow down the
 * measurement.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { waitedForCoreMs } from "@kauke/testkit/process-figures";

export interface HealthTarget {
  url: string;
  /** Process id of the server. */
  pid: number;
}

export interface HealthObservations {
  /** Milliseconds of the slowest response. */
  healthyMs: number;
  failures: string[];
}

const EVERY_MS = 100;

const { url, pid } = workerData as HealthTarget;
const seen: HealthObservations = { healthyMs: 0, failures: [] };
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

/** Milliseconds for which other programs had the cores: they say nothing about the server. */
const waitedMs = () => waitedForCoreMs(pid) + waitedForCoreMs("thread-self");

while (!isOver) {
  const [began, waited] = [performance.now(), waitedMs()];
  const answer = await fetch(`${url}/healthz`, { headers: { connection: "close" } }).catch(() => null);
  seen.healthyMs = Math.max(seen.healthyMs, performance.now() - began - (waitedMs() - waited));
  if (answer?.status !== 200) seen.failures.push(`/healthz answered ${answer?.status ?? "nothing"}`);
  await answer?.arrayBuffer();
  await sleep(EVERY_MS);
}
parentPort?.postMessage(seen);
