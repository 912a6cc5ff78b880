/**
 * Loaded into a server before its own program (`node --import`): on SIGUSR2 prints how long its event loop was delayed
 * since the previous signal, less the time in which other programs occupied the cores.
 */
import { createHistogram } from "node:perf_hooks";
import { waitedForCoreMs } from "@kauke/testkit/process-figures";

const EVERY_MS = 5;
/** The histogram takes whole numbers from 1. */
const US_PER_MS = 1000;
const delays = createHistogram();
let last = performance.now();
let waited = waitedForCoreMs(process.pid);

setInterval(() => {
  const now = performance.now();
  const waitedNow = waitedForCoreMs(process.pid);
  const delayMs = now - last - EVERY_MS - (waitedNow - waited);
  delays.record(Math.max(1, Math.round(delayMs * US_PER_MS)));
  last = now;
  waited = waitedNow;
}, EVERY_MS).unref();

process.on("SIGUSR2", () => {
  const [p99, max] = [delays.percentile(99), delays.max].map((us) => (us / US_PER_MS).toFixed(1));
  process.stdout.write(`event loop delayed by p99 ${p99} ms, max ${max} ms\n`);
  delays.reset();
});
