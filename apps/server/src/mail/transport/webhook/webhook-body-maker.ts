/**
 * Makes webhook bodies in a process of its own: parsing a stranger's message takes as long, and as much memory, as the stranger
 * likes. One message at a time; one that takes too long, or more room than was reserved for it, travels raw with its fields null.
 * Next is always the account that used the least of the process lately, so that mail which is hard to parse delays its own account.
 */
import { AppError } from "../../../core/app-error.ts";
import { FairQueue } from "../../../core/fair-queue/fair-queue.ts";
import { buildRawWebhookBody, type WebhookBodySource } from "./webhook-body.ts";

export interface WebhookBodyMaker {
  /**
   * Never throws for what is in the message.
   * @param maxBytes of the JSON; `raw` alone always fits in 1.4 times its length
   * @returns `null` when too many messages wait, of all accounts (the busiest gives way) or of this one
   */
  make(source: WebhookBodySource, maxBytes: number, order: BodyOrder): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface BodyOrder {
  /** The account. */
  party: string;
  /** Whether anybody still wants it when its turn has come. */
  isWanted(): boolean;
}

/** Runs `webhook-body-process.ts`: one order at a time, answered by the JSON's bytes, by something else, or by `null` when it broke. */
export interface WebhookBodyWorker {
  ask(order: object, deadlineMs: number): Promise<unknown>;
  end(): Promise<void>;
}

/** For one message; big ones get what they need at `MIN_BYTES_PER_MS` on top. */
const DEADLINE_MS = 1000;
const MIN_BYTES_PER_MS = 8192;

const WAITING_MAX = 256;
const WAITING_OF_PARTY_MAX = 16;

export function webhookBodyMaker(
  worker: WebhookBodyWorker,
  now: () => number = () => performance.now(),
): WebhookBodyMaker {
  const queue = new FairQueue({
    concurrency: 1,
    waitingMax: WAITING_MAX,
    waitingOfPartyMax: WAITING_OF_PARTY_MAX,
    now,
  });

  async function build(source: WebhookBodySource, maxBytes: number): Promise<Buffer> {
    const answer = await worker.ask({ source, maxBytes }, DEADLINE_MS + source.raw.length / MIN_BYTES_PER_MS);
    return answer instanceof Uint8Array ? toBuffer(answer) : buildRawWebhookBody(source);
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
  if (thrown instanceof AppError && thrown.code === "busy") return null;
  throw thrown;
}

const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
