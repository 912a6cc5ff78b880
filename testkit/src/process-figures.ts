/** Figures of a running process as Linux tells them; elsewhere there are none. */
import { readFileSync } from "node:fs";

/** Resident memory, and the most it ever was, MiB; `null` where /proc is not there. */
export function memoryOf(pid: number): { rssMib: number; peakMib: number } | null {
  const status = readProc(pid, "status");
  const mib = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
  return status === "" ? null : { rssMib: mib("VmRSS"), peakMib: mib("VmHWM") };
}

/**
 * How long a thread was ready to run while other programs had the cores, ms so far: a time that says nothing of the program.
 * @param thread a process, for its main thread, or the thread that asks @returns 0 where it is not told
 */
export function waitedForCoreMs(thread: number | "thread-self"): number {
  const [, waitedNs] = readProc(thread, "schedstat").split(" ");
  return waitedNs === undefined ? 0 : Number(waitedNs) / 1_000_000;
}

function readProc(pid: number | "thread-self", file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
