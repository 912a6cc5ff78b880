/**
 * The operator's command for tests of what it does: one process runs command after command, because most of the time of
 * a command is spent on starting Node and loading the program. `run-kauke.ts` runs it as in production.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { endMark } from "./kauke-end-mark.ts";
import { environmentOf, type KaukeOptions, type KaukeRun } from "./run-kauke.ts";

const program = fileURLToPath(new URL("./kauke-process.ts", import.meta.url));
let child: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();
process.on("exit", () => child?.kill("SIGKILL"));

export function kaukeInTurns(args: readonly string[], options: Omit<KaukeOptions, "file">): Promise<KaukeRun> {
  const turn = last.then(() => runNow(args, options));
  last = turn.catch(() => {});
  return turn;
}

function runNow(args: readonly string[], options: KaukeOptions): Promise<KaukeRun> {
  const running = (child ??= start());
  const { stdout, stderr } = running as ChildProcess & { stdout: Socket; stderr: Socket };
  return new Promise((resolve, reject) => {
    const texts = { out: "", err: "" };
    const take = (name: "out" | "err") => (chunk: Buffer) => {
      texts[name] += String(chunk);
      const [out, code] = texts.out.split(endMark);
      const [err, end] = texts.err.split(endMark);
      if (code !== undefined && end !== undefined) finish({ code: Number(code), out: out ?? "", err: err ?? "" });
    };
    const [takeOut, takeErr] = [take("out"), take("err")];
    // A command that finds an invalid setting ends the whole process.
    const ended = (code: number | null) => {
      child = null;
      finish({ code, ...texts });
    };
    const finish = (run: KaukeRun) => {
      stdout.off("data", takeOut);
      stderr.off("data", takeErr);
      running.off("close", ended);
      resolve(run);
    };
    stdout.on("data", takeOut);
    stderr.on("data", takeErr);
    running.on("close", ended);
    running.send({ args, cwd: options.dataDir, env: environmentOf(options) }, (error) => error && reject(error));
  });
}

/** The process keeps no test run alive. */
function start(): ChildProcess {
  const started = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  started.unref();
  started.channel?.unref();
  for (const stream of [started.stdout, started.stderr]) (stream as Socket).unref();
  return started;
}
