/** Figures of a running process from Linux' /proc; other systems have none. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** @returns current and highest resident memory in MiB; `null` without /proc */
export function memoryOf(pid: number): { rssMib: number; peakMib: number } | null {
  const status = readProc(pid, "status");
  const mib = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
  return status === "" ? null : { rssMib: mib("VmRSS"), peakMib: mib("VmHWM") };
}

/**
 * Time for which a thread was ready to run while other programs occupied the cores, in milliseconds so far. It depends
 * on the machine's load and not on the program.
 * @param thread a process id, for its main thread, or the calling thread @returns 0 when it is unknown
 */
export function waitedForCoreMs(thread: number | "thread-self"): number {
  const [, waitedNs] = readProc(thread, "schedstat").split(" ");
  return waitedNs === undefined ? 0 : Number(waitedNs) / 1_000_000;
}

/**
 * @returns ids of the processes that run in a working directory, e.g. of a test server; Linux only
 */
export function processesIn(directory: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => workingDirectory(pid) === directory).map(Number);
}

function workingDirectory(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

function readProc(pid: number | "thread-self", file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
