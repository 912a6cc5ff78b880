/**
 * Runs one program on the current Node, with its output either captured or shown as it is written. Signals end the
 * program too.
 */
import { type ChildProcess, spawn } from "node:child_process";

export async function runCaptured(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await endOf(child);
  return { code, output: Buffer.concat(chunks).toString("utf8") };
}

export function runShown(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return endOf(spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] }));
}

/**
 * @returns the program's exit code once all its output has arrived. A signal ends both the program and this process.
 */
function endOf(child: ChildProcess): Promise<number> {
  const stop = (signal: NodeJS.Signals) => {
    // Ctrl-C has already reached the program: the terminal sends it to the whole process group.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    child.once("close", () => process.exit(1));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  return new Promise((done) => {
    const finish = (code: number) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, stop);
      done(code);
    };
    child.once("error", () => finish(127));
    child.once("close", (code) => finish(code ?? 1));
  });
}
