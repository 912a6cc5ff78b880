/**
 * Runs the real server in its own process, on its own ports: for tests that kill it, scan what it wrote, or use it from
 * a browser. All its output is stored.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serverFlags } from "../../scripts/launch/server-flags.mjs";
import { putEmptyDatabase } from "./empty-database.ts";
import { processesIn } from "./process-figures.ts";
import { closeProviders, providerSettings } from "./provider-run.ts";

export interface ServerProcess {
  /** Origin of the server's web address, e.g. `http://127.0.0.1:40123`, or `https://localhost:40124` with https on. */
  url: string;
  httpPort: number;
  httpsPort: number;
  mxPort: number;
  /** Port of submission with STARTTLS. */
  submissionPort: number;
  /** Port of submission with TLS from the first byte. */
  submissionsPort: number;
  dataDir: string;
  pid: number;
  /**
   * Token for `X-Preview-Token` and for the link that opens the preview inbox. Rejects if there is no preview inbox.
   */
  previewToken(): Promise<string>;
  /** Ids of the server's other processes (`KAUKE_WORKERS`), also of those that outlive it. Linux only. */
  workerPids(): number[];
  /** @returns everything written to stdout and stderr so far */
  output(): string;
  /** Requests a graceful shutdown and waits for the exit. @returns exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Kills with -9 and waits for the exit. */
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  /** Settings of the server in addition to its ports; see docs/settings.md. */
  env?: Record<string, string>;
  /** Data directory that the caller keeps; by default a temporary one, which `removeDataDirs` removes. */
  dataDir?: string;
  readyTimeoutMs?: number;
  /** Script that starts the server in place of `main.ts`. */
  program?: string;
}

/** Value for `program`: a server with fast password hashing. */
export const quickServer = fileURLToPath(new URL("./quick-server.ts", import.meta.url));
const main = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));
/** Node options about compiling WebAssembly that the test run was started with; its servers get them too. */
const compiling = process.execArgv.filter((argument) => argument.startsWith("--wasm-"));
const madeDirs: string[] = [];
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Waits until the server is ready. @throws with its whole output when it is not ready in time, after killing it */
export async function startServerProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? (await makeDataDir());
  const env = { ...options.env, ...(await providerSettings(dataDir, options.env ?? {})) };
  await putEmptyDatabase(dataDir, env);
  const child = spawn(process.execPath, [...serverFlags, ...compiling, options.program ?? main], {
    cwd: dataDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...baseEnv(dataDir), ...env },
  });
  running.add(child);
  let text = "";
  const exited = new Promise<number | null>((resolve) => {
    child.on("exit", (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (text += String(chunk)));
  const ports = await waitForPorts(() => text, exited, options.readyTimeoutMs ?? 60_000).catch(async (thrown) => {
    child.kill("SIGKILL");
    await exited;
    throw thrown;
  });
  return {
    url: ports.https === undefined ? `http://127.0.0.1:${ports.api ?? 0}` : `https://localhost:${ports.https}`,
    httpPort: ports.api ?? 0,
    httpsPort: ports.https ?? 0,
    mxPort: ports.mx ?? 0,
    submissionPort: ports.submission ?? 0,
    submissionsPort: ports.submissions ?? 0,
    dataDir,
    pid: child.pid as number,
    previewToken: async () => (await readFile(join(dataDir, "preview.token"), "utf8")).trim(),
    workerPids: () => processesIn(dataDir).filter((pid) => pid !== child.pid),
    output: () => text,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export async function makeDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "kauke-test-"));
  madeDirs.push(dir);
  return dir;
}

export async function removeDataDirs(): Promise<void> {
  await closeProviders();
  for (const dir of madeDirs.splice(0)) await rm(dir, { recursive: true, force: true });
}

function baseEnv(dataDir: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])),
    NODE_ENV: "test",
    KAUKE_AUTHENTICATION: "off",
    KAUKE_DATA_DIR: dataDir,
    KAUKE_HTTP_PORT: "0",
    KAUKE_MX_PORT: "0",
    KAUKE_SUBMISSION_PORT: "0",
    KAUKE_SUBMISSIONS_PORT: "0",
    KAUKE_POP3S_PORT: "0",
  };
}

async function waitForPorts(
  output: () => string,
  exited: Promise<number | null>,
  timeoutMs: number,
): Promise<Record<string, number>> {
  const until = Date.now() + timeoutMs;
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  while (!output().includes("is running")) {
    if (ended || Date.now() > until) throw new Error(`the server did not start:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ports: Record<string, number> = {};
  for (const line of output().split("\n")) {
    if (!line.includes('"listening"')) continue;
    const { service, port } = JSON.parse(line) as { service: string; port: number };
    ports[service === "http" ? "api" : service] = port;
  }
  return ports;
}
