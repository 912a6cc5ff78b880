/** The operator's command as it is used: a process of its own, with the settings a test gives. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../apps/server/src/operate/kauke.ts", import.meta.url));

export interface KaukeRun {
  code: number | null;
  out: string;
  err: string;
}

export interface KaukeOptions {
  dataDir: string;
  /** Settings beside the data directory. */
  env?: Record<string, string>;
  /** What is run instead of the command itself, e.g. its launcher. */
  file?: string;
}

/** Nothing of the settings around the test reaches it. */
export function runKauke(args: readonly string[], { dataDir, env, file = program }: KaukeOptions): Promise<KaukeRun> {
  const known = Object.entries(process.env).filter(([name]) => !name.startsWith("KAUKE_") && name !== "DATABASE_URL");
  const child = spawn(process.execPath, [file, ...args], {
    cwd: dataDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...Object.fromEntries(known), KAUKE_DATA_DIR: dataDir, ...env },
  });
  const run: KaukeRun = { code: null, out: "", err: "" };
  child.stdout.on("data", (chunk) => void (run.out += String(chunk)));
  child.stderr.on("data", (chunk) => void (run.err += String(chunk)));
  return new Promise((resolve) => child.on("close", (code) => resolve({ ...run, code })));
}
