/** Runs `npm start` as a person does: npm, the launcher, and the server they start. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface NpmStart {
  mxPort: number;
  output(): string;
  /** Sends a signal to npm only, and waits until the server has closed its output too. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Kills npm and all processes that it has started, whatever their state. */
  kill(): void;
}

/**
 * Starts the product; `npm start` builds the web app first if necessary. @throws with the whole output when the server
 * does not start
 */
export async function npmStart(env: Record<string, string>, timeoutMs = 180_000): Promise<NpmStart> {
  const child = spawn("npm", ["start"], { cwd: root, env: { ...plainEnv(), ...env }, detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (text += String(chunk)));
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    child.on("close", () => {
      isOver = true;
      resolve();
    });
  });
  const kill = () => {
    if (!isOver && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  process.on("exit", kill);
  const giveUpAt = Date.now() + timeoutMs;
  while (!text.includes("is running")) {
    if (isOver || Date.now() > giveUpAt) {
      kill();
      throw new Error(`npm start did not start the server:\n${text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const mxPort = Number(/"service":"mx","port":(\d+)/.exec(text)?.[1]);
  return {
    mxPort,
    output: () => text,
    async signal(signal) {
      child.kill(signal);
      await over;
    },
    kill,
  };
}

/** Removes variables of the test runner, which would change the build of the web app. */
function plainEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:NODE_ENV|NODE_OPTIONS|VITEST|KAUKE_|DATABASE_URL|npm_)/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""]));
}
