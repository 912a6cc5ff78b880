/**
 * CPU time and memory of a system under test with all its processes. Root uses a cgroup (v1 or v2), which is exact and
 * includes processes that have ended; other users read /proc, with a resolution of 10 ms.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

export interface CpuMeter {
  /** Source of the figures: `cgroup v1`, `cgroup v2` or `/proc`. */
  method: string;
  /** Adds a running process and its descendants. */
  join(pid: number): void;
  /** @returns a command that runs `command` in the cgroup from its first instruction; unchanged without a cgroup */
  wrap(command: readonly string[]): string[];
  /** @returns user and system time consumed so far, in seconds */
  seconds(): number;
  memory(): Memory;
  close(): void;
}

export interface Memory {
  /** Resident memory over all processes; shared pages are counted once for each process. */
  rssMib: number;
  /** Resident memory without file-backed and shared pages. */
  privateMib: number;
}

const root = "/sys/fs/cgroup";
const TICKS_PER_SECOND = 100;
const PAGES_PER_MIB = 256;

export function openMeter(name: string): CpuMeter {
  const directory = makeCgroup(`kauke-bench-${process.pid}-${name}`);
  return directory === null ? procMeter() : cgroupMeter(directory);
}

/** @returns the directory of a new cgroup; `null` when this user or system cannot create one */
function makeCgroup(name: string): string | null {
  const base = existsSync(`${root}/cpuacct`) ? `${root}/cpuacct` : root;
  try {
    mkdirSync(`${base}/${name}`, { recursive: true });
    readFileSync(`${base}/${name}/cgroup.procs`);
    return `${base}/${name}`;
  } catch {
    return null;
  }
}

function cgroupMeter(directory: string): CpuMeter {
  const members = `${directory}/cgroup.procs`;
  const isFirst = existsSync(`${directory}/cpuacct.usage`);
  const seconds = () => {
    if (isFirst) return Number(readFileSync(`${directory}/cpuacct.usage`, "utf8")) / 1e9;
    return Number(/^usage_usec (\d+)/m.exec(readFileSync(`${directory}/cpu.stat`, "utf8"))?.[1]) / 1e6;
  };
  const close = () => {
    process.removeListener("exit", close);
    removeWhenEmpty(directory);
  };
  process.once("exit", close);
  return {
    method: isFirst ? "cgroup v1" : "cgroup v2",
    join: (pid) => {
      for (const member of processTree([pid])) moveUnlessGone(member, members);
    },
    wrap: (command) => ["/bin/sh", "-c", `echo $$ > ${members} && exec "$@"`, "sh", ...command],
    seconds,
    memory: () => memoryOf(readFileSync(members, "utf8").split("\n").filter(Boolean).map(Number)),
    close,
  };
}

/**
 * Removes a cgroup, waiting up to 2 seconds until its processes have ended. Synchronous, because it also runs in exit
 * handlers.
 */
function removeWhenEmpty(directory: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      return rmdirSync(directory);
    } catch {
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}

function moveUnlessGone(pid: number, members: string): void {
  try {
    writeFileSync(members, String(pid));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}

function procMeter(): CpuMeter {
  const roots: number[] = [];
  return {
    method: "/proc",
    join: (pid) => void roots.push(pid),
    wrap: (command) => [...command],
    seconds: () => processTree(roots).reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS_PER_SECOND,
    memory: () => memoryOf(processTree(roots)),
    close: () => void roots.splice(0),
  };
}

/** @returns the given processes and all their descendants */
function processTree(roots: readonly number[]): number[] {
  const all = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  const parents = all.map((pid) => [Number(pid), Number(statOf(Number(pid))[1])] as const);
  const found = [...roots];
  for (const pid of found) found.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return found;
}

/** @returns CPU ticks of a process and its children that have ended */
function ticksOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** @returns the fields of /proc/<pid>/stat from the third on: state, parent, …; empty when the process has ended */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function memoryOf(pids: readonly number[]): Memory {
  let rss = 0;
  let shared = 0;
  for (const pid of pids) {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ").map(Number);
      rss += pages[1] ?? 0;
      shared += pages[2] ?? 0;
    } catch {
      // The process has ended.
    }
  }
  return { rssMib: rss / PAGES_PER_MIB, privateMib: (rss - shared) / PAGES_PER_MIB };
}
