import { leastCpuMs } from "@kauke/mail-rfc/linear-cost.testing";
import { expect, test } from "vitest";
import { TokenBuckets } from "../rate-limit/token-buckets.ts";
import { ExchangedShares } from "./exchanged-shares.ts";
import type { ShareBatch, ShareExchange } from "./share-exchange.ts";

/** An exchange that keeps sent batches in a list and receives only what the test hands to it. */
function handExchange() {
  const sent: ShareBatch[] = [];
  let receive: (from: number, batch: ShareBatch) => void = () => {};
  const exchange: ShareExchange = {
    self: 0,
    send: (batch) => void sent.push(batch),
    onBatch(listener) {
      receive = listener;
    },
    onGone() {},
  };
  return { exchange, sent, receive: (from: number, batch: ShareBatch) => receive(from, batch) };
}

const ROUNDS = 20_000;

/** A worker that has received counts of `keys` parties from each of `members` other workers. */
function worker({ members, keys }: { members: number; keys: number }) {
  const { exchange, sent, receive } = handExchange();
  const shares = new ExchangedShares(exchange);
  const counts = shares.counts("open");
  const rule = { max: 1000, windowSeconds: 3600 };
  const buckets = new TokenBuckets(rule, 50_000, { shares, name: "spent", nowMs: () => 0 });
  for (let key = 0; key < keys; key++) {
    counts.add(`own ${key}`, 1);
    buckets.spend(`own ${key}`, 0, 600);
  }
  shares.flush();
  for (let member = 1; member <= members; member++)
    receive(
      member,
      Array.from({ length: keys }, (_, key) => ["open", `key ${key}`, 1] as const),
    );
  return { shares, counts, buckets, sent, receive };
}

/**
 * Does what `ROUNDS` messages of 100 parties cause: count, check the limit, publish, and receive other workers' counts.
 */
function pass({ shares, counts, buckets, sent, receive }: ReturnType<typeof worker>): void {
  for (let round = 0; round < ROUNDS; round++) {
    const key = `key ${round % 100}`;
    counts.add(key, counts.all(key) > 0 ? 1 : 2);
    buckets.take(key, 0);
    receive(1, [
      ["open", key, round],
      ["spent", key, 1],
    ]);
    if (round % 100 === 0) shares.flush();
  }
  for (let key = 0; key < 100; key++) counts.set(`key ${key}`, 0);
  sent.length = 0;
}

test("what an event costs does not grow with the number of workers and of keys", async () => {
  const few = await leastCpuMs(pass, worker({ members: 1, keys: 100 }), Number.POSITIVE_INFINITY);
  const many = await leastCpuMs(pass, worker({ members: 15, keys: 20_000 }), 3 * few);
  expect(many).toBeLessThan(5 * few);
});
