/**
 * The law of linear cost: twice the input takes about twice the time. Measured as processor time of this thread, so that other
 * load on the machine counts little, and as the least of several runs, so that the compiler and the collector count little.
 */

import { setTimeout as pause } from "node:timers/promises";

/** A squared cost gives 4, a linear one 2. */
export const GROWTH_MAX = 2.6;
/** So clear a case needs no further runs. */
const GROWTH_CLEAR = 2.2;
/** Milliseconds. Shorter measurements are too noisy; work that stays below this at the largest input passes. */
const MEASURABLE_MS = process.env.LONG_ROUNDS === "1" ? 20 : 8;
const RUNS = 5;
/** For the first figures, which a clear case does not go beyond. */
const FIRST_RUNS = 3;
const SMALLEST = 2048;
/** From one size to the next on the way to what can be measured: a squared cost takes half a second at most where it is found. */
const STEP = 8;
/** Another look at what failed: a busy machine can slow down one half of a comparison, and hardly twice the same one. */
const LOOKS = 3;
/** Until the next look, so that what slows the machine down may be over. */
const PAUSE_MS = 1000;

export interface Costs<T> {
  /** Builds an input of about `size` characters, bytes or members. The time this takes is not measured. */
  make: (size: number) => T;
  run: (input: T) => unknown;
  /** The largest size that passes the limits in front of `run`. */
  largest: number;
  /** How often what breaks the law is looked at again. */
  looks?: number;
}

/** @returns "linear", or what was measured */
export async function growthOf<T>(costs: Costs<T>): Promise<string> {
  let verdict = "linear";
  for (let look = 0; look < (costs.looks ?? LOOKS); look += 1) {
    verdict = await lookOnce(costs);
    if (verdict === "linear") break;
  }
  return verdict;
}

async function lookOnce<T>(costs: Costs<T>): Promise<string> {
  const { make, run, largest } = costs;
  const found = await measurableSize(costs);
  if (found === null) return "linear";
  const { size, least } = found;
  const twice = Math.min(size * 2, largest);
  const half = Math.floor(twice / 2);
  const [smaller, larger] = [make(half), make(twice)];
  // What was measured on the way to this size counts, unless the size had to shrink.
  const early = [half === size ? least : await leastMs(run, smaller, 2), await leastMs(run, larger, 1)] as const;
  if (early[1] < early[0] * GROWTH_CLEAR) return "linear";
  const before = Math.min(early[0], await leastMs(run, smaller, RUNS - 2));
  const after = Math.min(early[1], await leastMs(run, larger, RUNS - 1, before * GROWTH_MAX));
  if (after < before * GROWTH_MAX) return "linear";
  return `${before.toFixed(1)} ms for ${half}, ${after.toFixed(1)} ms for ${twice}`;
}

interface Size {
  size: number;
  /** What it takes, in milliseconds. */
  least: number;
}

/** @returns the size to compare with twice as much; `null` when nothing up to the largest takes long enough to be measured */
async function measurableSize<T>(costs: Costs<T>): Promise<Size | null> {
  const first = await grow({ size: SMALLEST, by: STEP, runs: 1 }, costs);
  if (first.least < MEASURABLE_MS) return null;
  // A step too far. Were it linear, this size would be enough.
  const halvings = Math.floor(Math.log2(first.least / MEASURABLE_MS));
  const found = await grow({ size: Math.ceil(first.size / 2 ** halvings), by: 2, runs: FIRST_RUNS }, costs);
  return found.least < MEASURABLE_MS ? null : found;
}

/** @returns the first size that takes long enough, else the largest */
async function grow<T>(
  { size: smallest, by, runs }: { size: number; by: number; runs: number },
  { make, run, largest }: Costs<T>,
): Promise<Size> {
  for (let size = Math.min(smallest, largest); ; size = Math.min(size * by, largest)) {
    const least = await leastMs(run, make(size), runs, MEASURABLE_MS);
    if (least >= MEASURABLE_MS || size === largest) return { size, least };
  }
}

/** @returns milliseconds of this thread's processor time, of the quickest of a few runs; one below `enoughMs` is enough */
export async function leastCpuMs<T>(run: (input: T) => unknown, input: T, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && least >= enoughMs; look += 1) {
    if (look > 0) await pause(PAUSE_MS);
    least = Math.min(least, await leastMs(run, input, RUNS, enoughMs));
  }
  return least;
}

/** One thread sleeps on it for a moment. */
const cell = new Int32Array(new SharedArrayBuffer(4));

/** Linux adds up a thread's time when it stops running, or every 4 ms: stopping for a moment makes the figure exact. */
function cpuMs(): number {
  Atomics.wait(cell, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** @param enoughMs runs end when one took less: the least could only be less yet */
async function leastMs<T>(run: (input: T) => unknown, input: T, runs: number, enoughMs = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < runs && least >= enoughMs; round += 1) {
    const began = cpuMs();
    const result = run(input);
    // Awaiting what is no promise would add a turn.
    if (result instanceof Promise) await result;
    least = Math.min(least, cpuMs() - began);
  }
  return least;
}
