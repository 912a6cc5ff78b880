/** Takes CPU profiles of single measurements, and lists the functions that use most time. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sleep } from "./table.ts";

export interface Profiler {
  /** Environment variables for the process to be profiled. */
  env: Record<string, string>;
  /**
   * Profiles a process during some work. @param name file name without extension @returns the result of `work`, after
   * the profile was written
   */
  during<T>(pid: number, name: string, work: () => Promise<T>): Promise<T>;
  /** Paths of the profiles written so far. */
  files: readonly string[];
}

const WRITE_TIMEOUT_MS = 30_000;

export function makeProfiler(folder: string): Profiler {
  mkdirSync(folder, { recursive: true });
  const nameFile = join(mkdtempSync(join(tmpdir(), "kauke-profile-")), "name");
  const preload = pathToFileURL(join(import.meta.dirname, "profile-on-signal.ts")).href;
  const files: string[] = [];
  return {
    env: { NODE_OPTIONS: `--import ${preload}`, BENCH_PROFILE_NAME: nameFile },
    files,
    async during(pid, name, work) {
      const file = resolve(folder, `${name}.cpuprofile`);
      writeFileSync(nameFile, file);
      process.kill(pid, "SIGUSR2");
      const result = await work();
      process.kill(pid, "SIGUSR2");
      for (const giveUpAt = Date.now() + WRITE_TIMEOUT_MS; !existsSync(file); await sleep(20))
        if (Date.now() > giveUpAt) throw new Error(`no profile was written to ${file}`);
      files.push(file);
      return result;
    },
  };
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/**
 * @returns e.g. `cut-through-1: 812 ms busy; 31.2% (program), 22.0% signOneShot crypto:12, …`: self time of the main
 * thread
 */
export function topEntries(file: string, count = 12): string {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "";
    // Leaves out the time that starting the profiler took, since it is not part of the server's work.
    if (name !== "(idle)" && !name.startsWith("post node:inspector"))
      spent.set(name, (spent.get(name) ?? 0) + timeDeltas[index]!);
  }
  const busy = [...spent.values()].reduce((sum, us) => sum + us, 0);
  const top = [...spent].sort(([, a], [, b]) => b - a).slice(0, count);
  const shares = top.map(([name, us]) => `${((us / busy) * 100).toFixed(1)}% ${name}`);
  return `${basename(file, ".cpuprofile")}: ${(busy / 1000).toFixed(0)} ms busy; ${shares.join(", ")}`;
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const place = url === "" ? "" : ` ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
  return `${functionName || "(anonymous)"}${place}`;
}
