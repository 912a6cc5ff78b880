/**
 * `npm run dev`: runs the server and restarts it when its sources change, rebuilds the web app when its sources change,
 * and creates the demo accounts once the server answers for the first time. Ends when either process exits or a signal
 * arrives.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
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

// The watcher replaces the build that `npm start` recorded, so the record is removed.
rmSync(join(root, "node_modules", ".kauke-web-built"), { force: true });
const vite = join(root, "node_modules", "vite", "bin", "vite.js");
const watched = [
  startNode(["--watch", "--watch-preserve-output", "apps/server/src/main.ts"]),
  startNode([vite, "build", "--watch", "--logLevel", "warn"], join(root, "apps/web")),
];

let stopping = false;
function stopAll(signal: NodeJS.Signals): void {
  if (stopping) return;
  stopping = true;
  // Ctrl-C has already reached the child processes: the terminal sends it to the whole process group.
  if (signal === "SIGINT" && process.stdin.isTTY) return;
  for (const child of watched) child.kill(signal);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopAll(signal));
for (const child of watched) {
  child.once("exit", () => {
    if (!stopping) process.exitCode = 1;
    stopAll("SIGTERM");
  });
}

void seedWhenHealthy();
