/** A server process whose start is timed and whose memory is read. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface StartedServer {
  /** Until every service accepted work. */
  seconds: number;
  /** @returns resident memory of the server process in MiB */
  rssMib(): number;
  /** @returns proportional set size in MiB of the server and its child processes: shared pages count in part */
  pssMib(): number;
  stop(): Promise<void>;
}

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
export const serverAlone = [path("apps/server/src/main.ts")];
export const npmStart = [path("scripts/run.mjs"), "start"];
const START_MAX_MS = 120_000;

/** @throws Error if it has ended, or is not ready, after two minutes */
export async function startServer(args: readonly string[], dataDir: string): Promise<StartedServer> {
  const begin = performance.now();
  const env = environment(dataDir);
  const child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "pipe"], env });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await untilRunning(child);
  const seconds = (performance.now() - begin) / 1000;
  const server = () => (args === npmStart ? childrenOf(child.pid as number)[0]! : (child.pid as number));
  return {
    seconds,
    rssMib: () => mib(/^VmRSS:\s+(\d+) kB/m, `/proc/${server()}/status`),
    pssMib: () =>
      [server(), ...childrenOf(server())]
        .map((pid) => mib(/^Pss:\s+(\d+) kB/m, `/proc/${pid}/smaps_rollup`))
        .reduce((sum, each) => sum + each, 0),
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

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? [] : children.split(" ").map(Number);
}

function mib(pattern: RegExp, file: string): number {
  return Number(pattern.exec(readFileSync(file, "utf8"))?.[1]) / 1024;
}
