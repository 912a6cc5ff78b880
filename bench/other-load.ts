/**
 * Load that other programs make while a benchmark runs: the kernel's number of runnable threads, sampled once a second,
 * less those of the benchmark's own processes. Works on Linux; elsewhere only the load average is known.
 */
import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { measuredPids, processTree } from "./cpu-meter.ts";

export interface LoadReport {
  /** Load averages over 1, 5 and 15 minutes. */
  before: readonly number[];
  after: readonly number[];
  /** Mean number of runnable threads of other programs; `null` if unknown. */
  others: number | null;
  cores: number;
}

const SAMPLE_MS = 1000;
/** Mean runnable threads of other programs from which on a run counts as disturbed. */
const OTHERS_MAX = 0.2;

/** Starts watching. @returns a function that stops and reports */
export function watchLoad(): () => LoadReport {
  const before = loadavg();
  const samples: number[] = [];
  const sample = () => {
    const others = otherThreads();
    if (others !== null) samples.push(others);
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    const sum = samples.reduce((total, one) => total + one, 0);
    // The two counts of a sample are not taken at the same moment, so a single difference may be negative.
    const others = samples.length === 0 ? null : Math.max(0, sum / samples.length);
    return { before, after: loadavg(), others, cores: cpus().length };
  };
}

/** @returns one line about the load, and a second one if it disturbed the run */
export function loadLines({ before, after, others, cores }: LoadReport): string[] {
  const text = (averages: readonly number[]) => averages.map((average) => average.toFixed(1)).join(" ");
  const foreign = others === null ? "" : `; other programs had ${others.toFixed(1)} runnable threads on average`;
  return [
    `load average ${text(before)} before, ${text(after)} after, on ${cores} cores${foreign}`,
    ...(others !== null && others > OTHERS_MAX ? ["DISTURBED by other programs: take no figure from this run"] : []),
  ];
}

/** @returns `null` where /proc does not exist */
function otherThreads(): number | null {
  try {
    const runnable = Number(readFileSync("/proc/loadavg", "utf8").split(" ")[3]?.split("/")[0]);
    const own = new Set(processTree([process.pid, ...measuredPids()]));
    return runnable - [...own].reduce((sum, pid) => sum + runnableThreads(pid), 0);
  } catch {
    return null;
  }
}

function runnableThreads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) => isRunnable(`/proc/${pid}/task/${thread}/stat`)).length;
  } catch {
    // The process has ended.
    return 0;
  }
}

function isRunnable(statFile: string): boolean {
  const stat = readFileSync(statFile, "utf8");
  return stat[stat.lastIndexOf(")") + 2] === "R";
}
