/** Starts the process of a mail worker and links it to the owner. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { environmentOfChildren } from "../env.ts";
import { type Link, linkSide } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

/** A started mail worker. Its link closes when the worker has ended, for whatever reason. */
export interface LaunchedWorker {
  link: Link<ToWorker, ToOwner>;
  /** Process id; `null` for a worker within this process (tests). */
  pid: number | null;
  /** Ends the worker at once (SIGKILL). */
  kill(): void;
}

export type LaunchWorker = () => LaunchedWorker;

const program = fileURLToPath(new URL("./mail-worker.ts", import.meta.url));
/**
 * One helper thread for V8 instead of four: there are as many workers as cores, and each helper that is woken for a
 * short collection takes a core from another worker (docs/decisions/2026-11-26-one-helper-thread.md).
 */
const nodeFlags = ["--v8-pool-size=1"];

export function launchWorkerProcess(): LaunchedWorker {
  const child = fork(program, {
    env: environmentOfChildren(),
    execArgv: [...process.execArgv, ...nodeFlags],
    serialization: "advanced",
  });
  const side = linkSide<ToWorker, ToOwner>((messages) => {
    if (child.connected) child.send(messages, () => {});
  });
  // Workers send lists of messages. Anything else is passed on as one message, which the receiver refuses as malformed.
  child.on("message", (messages: unknown) =>
    side.receive((Array.isArray(messages) ? messages : [messages]) as ToOwner[]),
  );
  // A process that could not be started reports an error and never an exit.
  child.on("error", () => side.end());
  // Messages of the worker can still arrive after its exit, until its channel is closed too.
  child.once("exit", () => void (child.connected ? child.once("disconnect", () => side.end()) : side.end()));
  return { link: side, pid: child.pid ?? null, kill: () => void child.kill("SIGKILL") };
}
