/** Webhook bodies, made in a child process, because a message's author controls the time and memory of parsing. */

import { asAppError } from "../../../core/app-error.ts";
import { bounds } from "../../../limits/table.ts";
import { FairQueue } from "../../../runtime/fair-queue/fair-queue.ts";
import { ChildWorker } from "../../../runtime/threads/child-worker.ts";
import { buildRawWebhookBody, type WebhookBodySource } from "./webhook-body.ts";

export interface WebhookBodyMaker {
  /** @param maxBytes of the JSON @returns `null` when too many wait, the worker fails, or the body is not wanted now */
  make(source: WebhookBodySource, maxBytes: number, order: BodyOrder): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface BodyOrder {
  party: string;
  isWanted(): boolean;
}

/** Any reply but JSON, such as `null`, means that the message is sent raw. */
export interface WebhookBodyWorker {
  ask(order: object, deadlineMs: number): Promise<unknown>;
  end(): Promise<void>;
}

export function webhookBodyWorker(): ChildWorker {
  const program = new URL("./webhook-body-process.ts", import.meta.url);
  return new ChildWorker({ program, heapMaxMib: 256, deadlineMs: 1000, startMs: 30_000, idleMs: 30_000 });
}

const MIN_BYTES_PER_MS = 8192;

export function webhookBodyMaker(
  worker: WebhookBodyWorker,
  now: () => number = () => performance.now(),
): WebhookBodyMaker {
  const queue = new FairQueue({
    concurrency: 1,
    waitingMax: bounds.webhookBodies.waiting,
    waitingOfPartyMax: bounds.webhookBodies.account,
    now,
  });

  async function build(source: WebhookBodySource, maxBytes: number): Promise<Buffer> {
    const json = await worker.ask(
      { source, maxBytes },
      bounds.webhookBodies.deadlineMs + source.raw.length / MIN_BYTES_PER_MS,
    );
    return json instanceof Uint8Array ? toBuffer(json) : buildRawWebhookBody(source);
  }

  return {
    make: (source, maxBytes, { party, isWanted }) =>
      queue
        .run({ party }, async () => (isWanted() ? build(source, maxBytes).catch(() => null) : null))
        .catch(nullIfBusy),
    close: () => worker.end(),
  };
}

function nullIfBusy(thrown: unknown): null {
  if (asAppError(thrown)?.code === "busy") return null;
  throw thrown;
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
