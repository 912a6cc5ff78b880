/**
 * Checks that parsing whole hostile messages takes no long turn of the event loop, and time in proportion to their size
 * (linear-cost.testing.ts).
 */
import { describe, expect, it } from "vitest";
import { hostileMessages } from "./hostile-messages.testing.ts";
import { growthOf, leastCpuMs } from "./linear-cost.testing.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const timeout = isLong ? 3_600_000 : 240_000;

/** Bytes of the largest message that the server accepts; `npm test` uses a quarter of it. */
const MESSAGE_BYTES = (isLong ? 25 : 6.25) * 1024 * 1024;
/**
 * Maximum milliseconds of one turn of the event loop. The slowest takes about 60 ms on an idle machine, more under
 * load.
 */
const TURN_MS = 150;

export interface WholeMessage {
  header: Buffer;
  body: Buffer;
}

/** Steps of one operation. Each runs in a turn of the event loop of its own and may use the results of earlier ones. */
export type Steps = (message: WholeMessage) => Generator<() => unknown>;

function messageOf(name: string, size: number): WholeMessage {
  const made = hostileMessages[name]?.(size - 2000);
  if (made === undefined) throw new Error(`unknown hostile message: ${name}`);
  return { header: Buffer.from(made.header, "latin1"), body: Buffer.from(made.body, "latin1") };
}

/** @param turnMs for an operation that runs in another process than the server's */
export function testWholeMessages(operations: Record<string, Steps>, turnMs = TURN_MS): void {
  describe("parsing a whole message", () => {
    it.each(Object.keys(hostileMessages))("takes no long turn of the event loop: %s", { timeout }, async (name) => {
      const message = messageOf(name, MESSAGE_BYTES);
      const slow: string[] = [];
      for (const [parts, begin] of Object.entries(operations)) {
        for (const turn of begin(message)) {
          const tookMs = await leastCpuMs(turn, undefined, turnMs);
          if (tookMs >= turnMs) slow.push(`${parts}: ${tookMs.toFixed(0)} ms`);
        }
      }
      expect(slow).toEqual([]);
    });

    it.each(Object.keys(hostileMessages).filter((_, at) => isLong || at % 2 === 0))(
      "takes about twice the time for twice the bytes: %s",
      { timeout },
      async (name) => {
        const largest = isLong ? MESSAGE_BYTES : 64 * 1024;
        const make = (size: number) => messageOf(name, size + 2000);
        for (const [parts, begin] of Object.entries(operations)) {
          const run = (message: WholeMessage) => {
            for (const turn of begin(message)) turn();
          };
          expect([parts, await growthOf({ make, run, largest })]).toEqual([parts, "linear"]);
        }
      },
    );
  });
}
