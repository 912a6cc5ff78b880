/**
 * Makes webhook bodies in a process of its own: parsing a stranger's message takes as long, and as much memory, as the stranger
 * likes. One message at a time; one that takes too long, or more room than was reserved for it, travels raw with its fields null.
 */
import { buildRawWebhookBody, type WebhookBodySource } from "./webhook-body.ts";

export interface WebhookBodyMaker {
  /** Never throws for what is in the message. @param maxBytes of the JSON; `raw` alone always fits in 1.4 times its length */
  make(source: WebhookBodySource, maxBytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Runs `webhook-body-process.ts`: one order at a time, answered by the JSON's bytes, by something else, or by `null` when it broke. */
export interface WebhookBodyWorker {
  ask(order: object, deadlineMs: number): Promise<unknown>;
  end(): Promise<void>;
}

/** For one message; big ones get what they need at `MIN_BYTES_PER_MS` on top. */
const DEADLINE_MS = 1000;
const MIN_BYTES_PER_MS = 8192;

export function webhookBodyMaker(worker: WebhookBodyWorker): WebhookBodyMaker {
  let line = Promise.resolve();
  return {
    make(source, maxBytes) {
      const made = line.then(async () => {
        const answer = await worker.ask({ source, maxBytes }, DEADLINE_MS + source.raw.length / MIN_BYTES_PER_MS);
        return answer instanceof Uint8Array ? toBuffer(answer) : buildRawWebhookBody(source);
      });
      line = made.then(
        () => {},
        () => {},
      );
      return made;
    },
    close: () => worker.end(),
  };
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
