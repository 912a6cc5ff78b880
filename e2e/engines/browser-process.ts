/** A program of a browser, with a home directory of its own that is deleted when the program has ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Milliseconds that a program may take to start. */
const START_MS = 60_000;
/** Milliseconds that a program may take to end after SIGTERM. */
const END_MS = 10_000;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) signal(child, "SIGKILL");
});

export interface BrowserProcess {
  /**
   * Waits until the program's output matches. @throws with that output if the program ends before, or takes too long
   */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  end(): Promise<void>;
}

export interface ProgramToStart {
  path: string;
  args: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** Makes a home directory. @param files text by path below it, written before the program starts */
export function makeHome(files: Readonly<Record<string, string>> = {}): string {
  const home = mkdtempSync(join(tmpdir(), "kauke-browser-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

/** Starts a program in a process group of its own, so that the processes it starts end with it. */
export function startBrowserProcess(home: string, { path, args, environment }: ProgramToStart): BrowserProcess {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), ...environment };
  const child = spawn(path, args, { cwd: home, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const finish = () => {
      running.delete(child);
      ended = true;
      resolve();
    };
    child.on("exit", finish);
    child.on("error", finish);
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (output += String(chunk)));
  return {
    async waitFor(pattern) {
      const until = performance.now() + START_MS;
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) return match;
        if (ended || performance.now() > until) throw new Error(`${path} did not start:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async end() {
      signal(child, "SIGTERM");
      const late = setTimeout(() => signal(child, "SIGKILL"), END_MS);
      await exited;
      clearTimeout(late);
      // Processes that the program started may outlive it.
      signal(child, "SIGKILL");
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The process group has ended already.
  }
}

/** @returns the first of the paths that is an executable file, or `null` */
export function findExecutable(paths: readonly string[]): string | null {
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
