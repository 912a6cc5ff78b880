/**
 * Load that other programs make while a benchmark runs: the time for which the machine's cores were busy, less the CPU
 * time of the benchmark's own processes. Works on Linux; elsewhere only the load average is known.
 */
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { outsideTreeSeconds, treeSeconds } from "./cpu-meter.ts";

export interface LoadReport {
  /** Load averages over 1, 5 and 15 minutes. */
  before: readonly number[];
  after: readonly number[];
  /** Cores that other programs and other virtual machines occupied on average; `null` if unknown. */
  otherCores: number | null;
  cores: number;
}

const TICKS_PER_SECOND = 100;
/** Cores occupied by others from which on a run counts as disturbed. */
const OTHER_CORES_MAX = 0.1;
/** Parent of all kernel threads. */
const KTHREADD_PID = 2;

/** Starts watching. @returns a function that reports what happened since */
export function watchLoad(): () => LoadReport {
  const before = loadavg();
  const startedAt = performance.now();
  const othersBefore = otherSeconds();
  return () => {
    const others = otherSeconds();
    const seconds = (performance.now() - startedAt) / 1000;
    const otherCores = others === null || othersBefore === null ? null : (others - othersBefore) / seconds;
    return { before, after: loadavg(), otherCores, cores: cpus().length };
  };
}

/** @returns one line about the load, and a second one if it disturbed the run */
export function loadLines({ before, after, otherCores, cores }: LoadReport): string[] {
  const text = (averages: readonly number[]) => averages.map((average) => average.toFixed(1)).join(" ");
  // A little below zero, because the two sums are not read at the same moment.
  const others = otherCores === null ? null : Math.max(0, otherCores);
  const occupied = others === null ? "" : `, of which other programs occupied ${others.toFixed(2)} on average`;
  return [
    `load average ${text(before)} before, ${text(after)} after, on ${cores} cores${occupied}`,
    ...(others !== null && others > OTHER_CORES_MAX
      ? ["DISTURBED by other programs: take no figure from this run"]
      : []),
  ];
}

/**
 * @returns seconds, since the machine started, for which cores were busy or taken by the hypervisor; `null` where /proc
 * does not exist
 */
function busySeconds(): number | null {
  try {
    return busyTicks(readFileSync("/proc/stat", "utf8")) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

/**
 * @param stat contents of /proc/stat
 * @returns ticks for which any core was busy. Interrupts count: Linux adds most of their time, such as that of receiving
 * on loopback, to the process that they interrupted.
 */
export function busyTicks(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = stat
    .split("\n", 1)[0]!
    .trim()
    .split(/ +/)
    .slice(1)
    .map(Number);
  return user + nice + system + irq + softirq + steal;
}

/**
 * @returns CPU seconds of everything but the benchmark since the machine started; kernel threads are left out, because
 * most of their work is the benchmark's input and output. `null` where /proc does not exist
 */
function otherSeconds(): number | null {
  const busy = busySeconds();
  return busy === null ? null : busy - treeSeconds(process.pid) - outsideTreeSeconds() - treeSeconds(KTHREADD_PID);
}
