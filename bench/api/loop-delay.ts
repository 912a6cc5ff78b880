/**
 * Loaded into a server before its own program (`node --import`): on SIGUSR2 prints how long its event loop was delayed
 * since the previous signal, including the time in which other programs occupied the cores.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();

// The histogram has the intervals between two runs of a timer.
const delayMs = (ns: number) => Math.max(0, ns / 1e6 - RESOLUTION_MS).toFixed(1);

process.on("SIGUSR2", () => {
  const [p99, max] = [delayMs(histogram.percentile(99)), delayMs(histogram.max)];
  process.stdout.write(`event loop delayed by p99 ${p99} ms, max ${max} ms\n`);
  histogram.reset();
});
