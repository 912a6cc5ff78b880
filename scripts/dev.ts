/**
 * `npm run dev`: the server, started again whenever its sources change; the web app, built again whenever its own do; and the
 * demo accounts, once the server answers for the first time. Ends when one of the two is gone or a signal comes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readConfigOrExit } from "../apps/server/src/config-read.ts";
import { repositoryRoot } from "./source-files.ts";

const root = repositoryRoot();
const { http } = readConfigOrExit(root);
const origin = `http://${http.host.includes(":") ? `[${http.host}]` : http.host}:${http.port}`;

function startNode(args: readonly string[], cwd = root): ChildProcess {
  return spawn(process.execPath, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}

/** @returns whether the server took work within the time */
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
  else console.error("The server did not get ready within a minute: no demo accounts were made.");
}

// What the watcher builds is not what `npm start` has noted down as built.
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
  // Ctrl-C has reached them already: the terminal sends it to the whole group.
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
