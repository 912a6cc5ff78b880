/**
 * Makes webhook bodies in a process of its own: parsing a stranger's message takes as long, and as much memory, as the stranger
 * likes, and V8 answers a full heap by ending the process, a worker thread's host included. One child, one message at a time,
 * started when needed and ended when idle; a message that takes too long, or more room than was reserved for it, travels raw
 * with its fields null.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildRawWebhookBody, type WebhookBodySource } from "./webhook-body.ts";

export interface WebhookBodyMaker {
  /** Never throws for what is in the message. @param maxBytes of the JSON; `raw` alone always fits in 1.4 times its length */
  make(source: WebhookBodySource, maxBytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

interface Options {
  /** For one message; big ones get what they need at `MIN_BYTES_PER_MS` on top. */
  deadlineMs?: number;
  idleMs?: number;
}

const MIN_BYTES_PER_MS = 8192;
const HEAP_MAX_MIB = 256;
const CHILD = fileURLToPath(new URL("./webhook-body-process.ts", import.meta.url));

/** Ready for its first message; the deadline is for messages, not for the start. */
async function startChild(onExit: () => void): Promise<ChildProcess> {
  // An empty environment: no secret of ours is within reach of what a stranger wrote.
  const made = fork(CHILD, {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MAX_MIB}`],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  made.unref();
  made.channel?.unref();
  made.on("error", () => {});
  made.once("exit", onExit);
  await Promise.race([once(made, "message"), once(made, "exit").then(() => Promise.reject(new Error("ended")))]);
  return made;
}

export function webhookBodyMaker({ deadlineMs = 1000, idleMs = 30_000 }: Options = {}): WebhookBodyMaker {
  let child: Promise<ChildProcess> | null = null;
  let line = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  const forget = () => {
    child = null;
  };

  async function end(): Promise<void> {
    const ended = await child?.catch(() => null);
    child = null;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    const gone = once(ended, "exit");
    ended.kill("SIGKILL");
    await gone;
  }

  /** @returns `null` when the child could not do it in time */
  async function parsed(source: WebhookBodySource, maxBytes: number): Promise<Buffer | null> {
    clearTimeout(idle);
    const process = await (child ??= startChild(forget)).catch(() => null);
    if (process === null) {
      forget();
      return null;
    }
    const answer = await new Promise<Uint8Array | null | "lost">((resolve) => {
      const timer = setTimeout(() => resolve("lost"), deadlineMs + source.raw.length / MIN_BYTES_PER_MS);
      const answered = (bytes: Uint8Array | null) => finish(bytes);
      const lost = () => finish("lost");
      const finish = (result: Uint8Array | null | "lost") => {
        clearTimeout(timer);
        process.off("message", answered).off("exit", lost);
        resolve(result);
      };
      process.on("message", answered).on("exit", lost);
      process.send({ source, maxBytes }, (error) => error && lost());
    });
    if (answer === "lost") await end();
    idle = setTimeout(() => void end(), idleMs).unref();
    return answer === null || answer === "lost" ? null : Buffer.from(answer.buffer, answer.byteOffset, answer.length);
  }

  return {
    make(source, maxBytes) {
      const made = line.then(async () => (await parsed(source, maxBytes)) ?? buildRawWebhookBody(source));
      line = made.then(
        () => {},
        () => {},
      );
      return made;
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}
