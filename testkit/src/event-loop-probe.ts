/**
 * Loaded into a server process by `--import`: measures the longest time its event loop was blocked, minus the time in
 * which other programs occupied the cores. On SIGUSR2 prints the figure and starts anew.
 */
import { waitedForCoreMs } from "./process-figures.ts";

const EVERY_MS = 5;
let longestMs = 0;
let last = performance.now();
let waited = waitedForCoreMs(process.pid);

setInterval(() => {
  const now = performance.now();
  const waitedNow = waitedForCoreMs(process.pid);
  longestMs = Math.max(longestMs, now - last - EVERY_MS - (waitedNow - waited));
  last = now;
  waited = waitedNow;
}, EVERY_MS).unref();

process.on("SIGUSR2", () => {
  process.stdout.write(`event loop blocked for ${longestMs.toFixed(1)} ms\n`);
  longestMs = 0;
});
