/** Runs the operator's command as in production: in its own process, with the settings given by a test. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../apps/server/src/cli/kauke.ts", import.meta.url));

export interface KaukeRun {
  code: number | null;
  out: string;
  err: string;
}

export interface KaukeOptions {
  dataDir: string;
  /** Settings in addition to the data directory. */
  env?: Record<string, string>;
  /** File to run in place of the command itself, e.g. its launcher. */
  file?: string;
}

/** @returns the environment of the command, without the test's own settings */
export function environmentOf({ dataDir, env }: KaukeOptions): Record<string, string> {
  const known = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  return { ...(Object.fromEntries(known) as Record<string, string>), KAUKE_DATA_DIR: dataDir, ...env };
}

export function runKauke(args: readonly string[], options: KaukeOptions): Promise<KaukeRun> {
  const child = spawn(process.execPath, [options.file ?? program, ...args], {
    cwd: options.dataDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: environmentOf(options),
  });
  const run: KaukeRun = { code: null, out: "", err: "" };
  child.stdout.on("data", (chunk) => void (run.out += String(chunk)));
  child.stderr.on("data", (chunk) => void (run.err += String(chunk)));
  return new Promise((resolve) => child.on("close", (code) => resolve({ ...run, code })));
}
