/**
 * Tells whether work grows with its input: four times the bytes take about four times as long, where squared growth takes
 * sixteen times. Counts this thread's processor time, so that what else runs on the machine doesn't matter much.
 */

const SIZE = 65_536;
/** Over the 50 ms meant for 64 KiB, since a compiler and a collector work meanwhile: what this looks for takes seconds. */
const MOMENT_MS = 150;

/** @param work done with so many bytes @returns "linear", or what was measured */
export function growth(work: (sizeBytes: number) => void): string {
  work(SIZE / 16);
  const once = fastest(() => work(SIZE));
  const fourfold = fastest(() => work(SIZE * 4));
  const isSlow = once > MOMENT_MS || (fourfold > 2 * MOMENT_MS && fourfold > once * 10);
  return isSlow ? `${once.toFixed(1)} ms, then ${fourfold.toFixed(1)} ms for four times as much` : "linear";
}

/** In milliseconds; one quick round is enough. */
function fastest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best > 20; round += 1) {
    const began = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
