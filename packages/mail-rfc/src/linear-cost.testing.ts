/**
 * Tests whether a cost is linear: doubling the input must about double the time. Measures processor time of this
 * thread, so that other load has little influence, and the minimum of several runs, so that compilation and garbage
 * collection have little.
 */

import { setTimeout as pause } from "node:timers/promises";

/** Largest accepted factor between the times of the doubled and the single input; linear cost gives 2, quadratic 4. */
export const GROWTH_MAX = 2.6;
/** Factor below which a doubling counts as linear without further runs. */
const GROWTH_CLEAR = 2.2;
/**
 * Shortest measurement in milliseconds that counts, since shorter ones are too noisy. Work that takes less at the
 * largest input passes.
 */
const MEASURABLE_MS = process.env.LONG_ROUNDS === "1" ? 20 : 8;
const RUNS = 5;
/** Runs of the first measurement, which is sufficient in clear cases. */
const FIRST_RUNS = 3;
/** Input size at which the search for a measurable size begins. */
const SMALLEST = 2048;
/**
 * Factor between sizes while a measurable one is searched. Quadratic work takes at most 64 times `MEASURABLE_MS` in the
 * last step.
 */
const STEP = 8;
/**
 * Attempts before a failure counts: other load can slow down one half of a comparison, but hardly the same half
 * repeatedly.
 */
const ATTEMPTS = 3;
/** Milliseconds between attempts, so that other load may end. */
const PAUSE_MS = 1000;

export interface Costs<T> {
  /** Builds an input of about `size` characters, bytes or members. The time this takes is not measured. */
  make: (size: number) => T;
  run: (input: T) => unknown;
  /** Largest size that can reach `run` in production, where limits are checked before it. */
  largest: number;
  /** Maximum number of attempts before a failure counts. */
  attempts?: number;
}

/** @returns "linear", or the two measurements that show faster growth */
export async function growthOf<T>(costs: Costs<T>): Promise<string> {
  let verdict = "linear";
  for (let attempt = 0; attempt < (costs.attempts ?? ATTEMPTS); attempt += 1) {
    verdict = await measureOnce(costs);
    if (verdict === "linear") break;
  }
  return verdict;
}

async function measureOnce<T>(costs: Costs<T>): Promise<string> {
  const { make, run, largest } = costs;
  const found = await measurableSize(costs);
  if (found === null) return "linear";
  const { size, least } = found;
  const twice = Math.min(size * 2, largest);
  const half = Math.floor(twice / 2);
  const [smaller, larger] = [make(half), make(twice)];
  // The measurement taken while searching the size is reused, unless the size had to shrink.
  const early = [half === size ? least : await leastMs(run, smaller, 2), await leastMs(run, larger, 1)] as const;
  if (early[1] < early[0] * GROWTH_CLEAR) return "linear";
  const before = Math.min(early[0], await leastMs(run, smaller, RUNS - 2));
  const after = Math.min(early[1], await leastMs(run, larger, RUNS - 1, before * GROWTH_MAX));
  if (after < before * GROWTH_MAX || !(await growsNearby(costs, { before, half, after, twice }))) return "linear";
  return `${before.toFixed(1)} ms for ${half}, ${after.toFixed(1)} ms for ${twice}`;
}

/**
 * Whether the next doubling (the one before, at the largest input) also costs more than double. Growth beyond linear
 * continues from one doubling to the next; a step, such as strings that outgrow a cache or V8's ordinary pages, does
 * not. A sum of a linear and a quadratic part that just reaches `GROWTH_MAX` has a factor of 2.35 one doubling earlier,
 * and a higher one later.
 */
async function growsNearby<T>(
  { make, run, largest }: Costs<T>,
  { before, half, after, twice }: { before: number; half: number; after: number; twice: number },
): Promise<boolean> {
  if (twice * 2 <= largest)
    return (await leastMs(run, make(twice * 2), FIRST_RUNS, after * GROWTH_CLEAR)) >= after * GROWTH_CLEAR;
  return before >= (await leastMs(run, make(Math.floor(half / 2)), RUNS)) * GROWTH_CLEAR;
}

interface Size {
  size: number;
  /** Shortest time measured for an input of `size`, in milliseconds. */
  least: number;
}

/** @returns the size to compare with its double; `null` when even the largest is too fast to be measured */
async function measurableSize<T>(costs: Costs<T>): Promise<Size | null> {
  const first = await grow({ size: SMALLEST, by: STEP, runs: 1 }, costs);
  if (first.least < MEASURABLE_MS) return null;
  // The size found may be many times the smallest measurable one; if the cost is linear, this smaller size suffices.
  const halvings = Math.floor(Math.log2(first.least / MEASURABLE_MS));
  const found = await grow({ size: Math.ceil(first.size / 2 ** halvings), by: 2, runs: FIRST_RUNS }, costs);
  return found.least < MEASURABLE_MS ? null : found;
}

/** @returns the first size that takes long enough, otherwise the largest */
async function grow<T>(
  { size: smallest, by, runs }: { size: number; by: number; runs: number },
  { make, run, largest }: Costs<T>,
): Promise<Size> {
  for (let size = Math.min(smallest, largest); ; size = Math.min(size * by, largest)) {
    const least = await leastMs(run, make(size), runs, MEASURABLE_MS);
    if (least >= MEASURABLE_MS || size === largest) return { size, least };
  }
}

/** @returns processor time of this thread in milliseconds, the minimum of several runs; stops early below `enoughMs` */
export async function leastCpuMs<T>(run: (input: T) => unknown, input: T, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= enoughMs; attempt += 1) {
    if (attempt > 0) await pause(PAUSE_MS);
    least = Math.min(least, await leastMs(run, input, RUNS, enoughMs));
  }
  return least;
}

/** Shared memory on which the thread waits before it reads the clock; nothing ever wakes it. */
const cell = new Int32Array(new SharedArrayBuffer(4));

/** Waits briefly before reading the clock: Linux updates a thread's time only when it stops running, or every 4 ms. */
function cpuMs(): number {
  Atomics.wait(cell, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** @param enoughMs further runs are skipped once one takes less, since the minimum could only decrease */
async function leastMs<T>(run: (input: T) => unknown, input: T, runs: number, enoughMs = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < runs && least >= enoughMs; round += 1) {
    const began = cpuMs();
    const result = run(input);
    // Awaiting a value that is not a promise would add a turn of the event loop.
    if (result instanceof Promise) await result;
    least = Math.min(least, cpuMs() - began);
  }
  return least;
}
