/**
 * `npm run dev`: runs the server and restarts it when its sources change, rebuilds the web app when its sources change
 * (prerendered pages included), and creates the demo accounts once the server answers for the first time. Ends when either process exits or a signal
 * arrives.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { limitNames } from "../apps/server/src/limits/named-limits.ts";
import { readConfigOrExit } from "../apps/server/src/settings/read-config.ts";
import { repositoryRoot } from "./source-files.ts";

const root = repositoryRoot();
const { http } = readConfigOrExit(root, limitNames);
const origin = `http://${http.host.includes(":") ? `[${http.host}]` : http.host}:${http.port}`;

function startNode(args: readonly string[], cwd = root): ChildProcess {
  return spawn(process.execPath, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}

/** Waits until the server answers as healthy. @returns false if it has not within `timeoutMs` milliseconds */
async function waitUntilHealthy(timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    const answer = await fetch(`${origin}/healthz`).catch(() => null);
    if (answer?.ok === true) return true;
    await new Promise((done) => setTimeout(done, 200));
  }
  return false;
}

async function seedWhenHealthy(): Promise<void> {
  if (await waitUntilHealthy(60_000)) startNode(["scripts/seed.ts", origin]);
  else console.error("The server was not ready within a minute, so no demo accounts were created.");
}

const server = startNode(["--watch", "--watch-preserve-output", "apps/server/src/main.ts"]);

let building = false;
let isStale = false;

/** One build at a time; changes during a build lead to one more. build-web.mjs does nothing if no source changed. */
function rebuildWeb(): void {
  isStale = building;
  if (building) return;
  building = true;
  startNode(["scripts/build-web.mjs", "--dev"]).once("exit", () => {
    building = false;
    if (isStale) rebuildWeb();
  });
}

for (const folder of [
  "apps/web/offline",
  "apps/web/src",
  "apps/web/public",
  "packages/contract/src",
  "packages/age/src",
])
  watch(join(root, folder), { recursive: true }, rebuildWeb);

let stopping = false;
function stopAll(signal: NodeJS.Signals): void {
  if (stopping) return;
  stopping = true;
  // Ctrl-C has already reached the child processes: the terminal sends it to the whole process group.
  if (signal === "SIGINT" && process.stdin.isTTY) return;
  server.kill(signal);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopAll(signal));
server.once("exit", () => {
  if (!stopping) process.exitCode = 1;
  // The watchers of files keep the process running otherwise.
  process.exit();
});

void seedWhenHealthy();
