/**
 * Benchmark of starts: seconds until every service accepts work, and memory then; for the first start in an empty data
 * directory, and for the second with `npm start`'s launcher and without it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { ourWorkers } from "./forward/forward-system.ts";
import type { BenchOptions } from "./options.ts";
import { median, progress, type Row, sleep } from "./table.ts";

interface Started {
  seconds: number;
  /** @returns resident memory of the server process in MiB */
  rssMib(): number;
  stop(): Promise<void>;
}

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const server = [path("apps/server/src/main.ts")];
const launcher = [path("scripts/run.mjs"), "start"];
const START_MAX_MS = 120_000;

export async function benchStart({ rounds, settleSeconds }: BenchOptions): Promise<Row[]> {
  const dataDir = await makeDataDir();
  try {
    progress("start: first start in an empty data directory");
    const first = await startOnce(server, dataDir);
    await first.stop();
    const direct: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`start: second start, round ${round} of ${rounds}`);
      const started = await startOnce(server, dataDir);
      direct.push(started.seconds);
      await started.stop();
    }
    // The launcher's first run may build the web app, so the one after it is measured.
    await (await startOnce(launcher, dataDir)).stop();
    const second = await startOnce(launcher, dataDir);
    const atOnce = second.rssMib();
    progress(`start: memory after ${settleSeconds} s`);
    await sleep(settleSeconds * 1000);
    const settled = second.rssMib();
    await second.stop();
    return rowsOf({ first: first.seconds, direct: median(direct), launched: second.seconds, atOnce, settled });
  } finally {
    await removeDataDirs();
  }

  function rowsOf(figures: Record<"first" | "direct" | "launched" | "atOnce" | "settled", number>): Row[] {
    const seconds = (what: string, value: number, limit?: number): Row => ({
      bench: "start",
      what,
      workers: ourWorkers,
      measured: `${value.toFixed(2)} s`,
      ...(limit === undefined ? {} : { target: `<= ${limit} s`, isMet: value <= limit }),
    });
    return [
      seconds("first start, server alone (database made)", figures.first),
      seconds("second start, server alone", figures.direct),
      seconds("second start, npm start's launcher", figures.launched, 3),
      { bench: "start", what: "memory at once", workers: ourWorkers, measured: `${figures.atOnce.toFixed(0)} MiB` },
      {
        bench: "start",
        what: `memory after ${settleSeconds} s`,
        workers: ourWorkers,
        measured: `${figures.settled.toFixed(0)} MiB`,
        target: "<= 300 MiB",
        isMet: figures.settled <= 300,
      },
    ];
  }
}

async function startOnce(args: readonly string[], dataDir: string): Promise<Started> {
  const begin = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "pipe"], env: environment(dataDir) });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await untilRunning(child);
  const seconds = (performance.now() - begin) / 1000;
  return {
    seconds,
    rssMib: () => rssOf(serverPid(child.pid as number)),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.removeListener("exit", kill);
    },
  };
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  const ports = { KAUKE_HTTP_PORT: "0", KAUKE_MX_PORT: "0", KAUKE_SUBMISSION_PORT: "0", KAUKE_SUBMISSIONS_PORT: "0" };
  return { ...Object.fromEntries(kept), ...ports, KAUKE_DATA_DIR: dataDir };
}

function untilRunning(child: ChildProcess): Promise<void> {
  let output = "";
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the server did not start: ${output.slice(-500)}`));
    const timer = setTimeout(fail, START_MAX_MS);
    child.once("exit", fail);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        output += String(chunk);
        if (!output.includes("is running")) return;
        clearTimeout(timer);
        child.removeListener("exit", fail);
        resolve();
      });
  });
}

/** @returns the launcher's only child, which is the server */
function serverPid(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? pid : Number(children.split(" ")[0]);
}

function rssOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
