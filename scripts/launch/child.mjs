/**
 * Runs one child process until it exits and forwards signals to it. Asynchronous on purpose: a launcher blocked in
 * spawnSync would leave the server running when the launcher is told to stop.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";

const forwardedSignals = ["SIGTERM", "SIGINT", "SIGHUP"];

/**
 * @returns {Promise<{ code: number, interrupted: boolean }>} the child's exit code (128 + number if a signal ended it)
 * and whether a signal asked the launcher to stop meanwhile
 */
export function runChild(file, args, options) {
  return new Promise((done) => {
    const child = spawn(file, args, { stdio: "inherit", ...options });
    const release = forwardSignals(child);
    child.once("error", (error) => done({ code: error.code === "ENOENT" ? 127 : 126, interrupted: release() }));
    child.once("exit", (code, signal) => {
      done({ code: code ?? 128 + (constants.signals[signal] ?? 0), interrupted: release() });
    });
  });
}

function forwardSignals(child) {
  let interrupted = false;
  let lastForwardedAt = 0;
  const handler = (signal) => {
    interrupted = true;
    // Ctrl-C reaches the whole process group at once, the child included, and npm sends it to the launcher a second
    // time.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    if (Date.now() - lastForwardedAt < 1000) return;
    lastForwardedAt = Date.now();
    child.kill(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, handler);
  const parentWatch = watchParent(() => handler("SIGTERM"));
  return () => {
    clearInterval(parentWatch);
    for (const signal of forwardedSignals) process.off(signal, handler);
    return interrupted;
  };
}

/**
 * Calls `onGone` when the parent process has ended, in npm scripts only: the launcher must not outlive npm or the shell
 * between them, and a signal that ended one of them did not reach the launcher.
 */
function watchParent(onGone) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  return setInterval(() => process.ppid !== parent && onGone(), 250).unref();
}
