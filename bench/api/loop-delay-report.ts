/** Reads how long a server's event loop was delayed during some work, from what `loop-delay.ts` prints in it. */
import type { ServerProcess } from "@kauke/testkit/server-process";
import type { Profiler } from "../profile.ts";
import { sleep } from "../table.ts";

export interface DelayReport {
  /** Delays of the event loop in milliseconds: 99th percentile and longest. */
  delayP99: number;
  delayMax: number;
}

const preload = new URL("./loop-delay.ts", import.meta.url).href;
const REPORT_TIMEOUT_MS = 10_000;

/** @returns environment variables for a server that reports its delays, and is profiled if there is a profiler */
export function withDelayReports(env: Record<string, string>, profiler: Profiler | null): Record<string, string> {
  const others = profiler?.env ?? {};
  return { ...env, ...others, NODE_OPTIONS: `${others.NODE_OPTIONS ?? ""} --import ${preload}`.trim() };
}

/** Runs `work` and reads the delays meanwhile. With a profiler the process is profiled at the same time. */
export async function watchLoopDelay<T>(
  { pid, output }: Pick<ServerProcess, "pid" | "output">,
  { profiler, name }: { profiler: Profiler | null; name: string },
  work: () => Promise<T>,
): Promise<{ result: T; report: DelayReport }> {
  const before = reportsIn(output()).length;
  const result = await (profiler === null ? betweenSignals(pid, work) : profiler.during(pid, name, work));
  for (const giveUpAt = Date.now() + REPORT_TIMEOUT_MS; reportsIn(output()).length < before + 2; await sleep(20))
    if (Date.now() > giveUpAt) throw new Error("the server did not report the delays of its event loop");
  return { result, report: reportsIn(output()).at(-1)! };
}

/** The first signal starts a measurement and the second one ends it, like those of a profiler. */
async function betweenSignals<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, "SIGUSR2");
  const result = await work();
  process.kill(pid, "SIGUSR2");
  return result;
}

function reportsIn(output: string): DelayReport[] {
  const reports = output.matchAll(/event loop delayed by p99 (\S+) ms, max (\S+) ms/g);
  return [...reports].map(([, p99, max]) => ({ delayP99: Number(p99), delayMax: Number(max) }));
}
