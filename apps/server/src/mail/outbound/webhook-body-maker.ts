/**
 * Makes webhook bodies off the event loop: parsing a stranger's message takes as long as the stranger likes. One thread, one
 * message at a time, started when needed and ended when idle; a message that takes too long, or more room than was reserved
 * for it, travels raw with its fields null.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
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
const THREAD = new URL("./webhook-body-thread.ts", import.meta.url);

export function webhookBodyMaker({ deadlineMs = 1000, idleMs = 30_000 }: Options = {}): WebhookBodyMaker {
  let worker: Promise<Worker> | null = null;
  let line = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  /** Ready for its first message; the deadline is for messages, not for the start. */
  async function start(): Promise<Worker> {
    const made = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MIB } });
    made.unref();
    made.on("error", () => {});
    made.once("exit", () => {
      worker = null;
    });
    await once(made, "message");
    return made;
  }

  async function end(): Promise<void> {
    const ended = await worker?.catch(() => null);
    worker = null;
    await ended?.terminate();
  }

  /** @returns `null` when the thread could not do it in time */
  async function parsed(source: WebhookBodySource, maxBytes: number): Promise<Buffer | null> {
    clearTimeout(idle);
    const thread = await (worker ??= start()).catch(() => null);
    if (thread === null) return null;
    const answer = await new Promise<Uint8Array | null | "lost">((resolve) => {
      const timer = setTimeout(() => resolve("lost"), deadlineMs + source.raw.length / MIN_BYTES_PER_MS);
      const answered = (bytes: Uint8Array | null) => finish(bytes);
      const lost = () => finish("lost");
      const finish = (result: Uint8Array | null | "lost") => {
        clearTimeout(timer);
        thread.off("message", answered).off("exit", lost);
        resolve(result);
      };
      thread.on("message", answered).on("exit", lost);
      thread.postMessage({ source, maxBytes });
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
