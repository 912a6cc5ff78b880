/** Benchmark of `npm start` in a used data directory: seconds until it accepts work, and memory at rest (PSS). */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { ourWorkers } from "./forward/forward-system.ts";
import type { BenchOptions } from "./options.ts";
import { progress, type Row, sleep } from "./table.ts";

const launcher = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url));
const START_SECONDS_MAX = 3;
const MEMORY_MIB_MAX = 240;

export async function benchStart({ settleSeconds }: BenchOptions): Promise<Row[]> {
  const dataDir = await makeDataDir();
  try {
    progress("start: first start, which makes the database and builds the web app");
    await (await startOnce(dataDir)).stop();
    const { seconds, memoryMib, stop } = await startOnce(dataDir);
    progress(`start: memory after ${settleSeconds} s`);
    await sleep(settleSeconds * 1000);
    const memory = memoryMib();
    await stop();
    const row = { bench: "start", workers: ourWorkers };
    return [
      {
        ...row,
        what: "second npm start, until it accepts work",
        measured: `${seconds.toFixed(2)} s`,
        target: `<= ${START_SECONDS_MAX} s`,
        isMet: seconds <= START_SECONDS_MAX,
      },
      {
        ...row,
        what: `memory (PSS) of all its processes after ${settleSeconds} s`,
        measured: `${memory.toFixed(0)} MiB`,
        target: `<= ${MEMORY_MIB_MAX} MiB`,
        isMet: memory <= MEMORY_MIB_MAX,
      },
    ];
  } finally {
    await removeDataDirs();
  }
}

/** @throws Error if the server ends before it is ready */
async function startOnce(dataDir: string) {
  const begin = performance.now();
  const child = spawn(process.execPath, [launcher, "start"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: environment(dataDir),
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the server did not start: ${output.slice(-500)}`)));
    child.stdout.on("data", (chunk) => (output += String(chunk)).includes("is running") && resolve());
  });
  return {
    seconds: (performance.now() - begin) / 1000,
    memoryMib: () => descendantsOf(child.pid!).reduce((sum, pid) => sum + pssMib(pid), 0),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.removeListener("exit", kill);
    },
  };
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  const ports = ["HTTP", "MX", "SUBMISSION", "SUBMISSIONS", "POP3S"].map((name) => [`KAUKE_${name}_PORT`, "0"]);
  return { ...Object.fromEntries([...kept, ...ports]), KAUKE_DATA_DIR: dataDir };
}

/** Processes of the launcher, without the launcher itself. */
function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  if (children === "") return [];
  return children.split(" ").flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

/** @returns proportional set size: a page that several processes share counts in part */
function pssMib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
}
