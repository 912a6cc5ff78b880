/**
 * Tests that parsing whole hostile messages takes no long turn of the event loop, and time in proportion to their size
 * (linear-cost.testing.ts).
 */
import { describe, expect, it } from "vitest";
import { rewriteParts } from "./body/rewrite-parts.ts";
import { readMessageFields } from "./calendar/find-calendars.ts";
import { findOwnerParts, type OwnerParts, writeOwnerParts } from "./calendar/reply-calendars.ts";
import { type CalendarPlan, planCalendars, writeCalendars } from "./calendar/rewrite-calendars.ts";
import { readHeader } from "./header/headers.ts";
import { hostileMessages } from "./hostile-messages.testing.ts";
import { mimeLeaves } from "./leak/mime-leaves.ts";
import { UnsearchableError } from "./leak/unpack/unpack-limits.ts";
import { growthOf, leastCpuMs } from "./linear-cost.testing.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const aFewMinutes = isLong ? 3_600_000 : 240_000;

/** Bytes of the largest message that the server accepts; `npm test` uses a quarter of it. */
const MESSAGE_BYTES = (isLong ? 25 : 6.25) * 1024 * 1024;
/**
 * Maximum milliseconds of one turn of the event loop. The slowest takes about 60 ms on an idle machine, more under
 * load.
 */
const TURN_MS = 150;
/**
 * Maximum milliseconds for splitting a message for the leak guard. It may exceed `TURN_MS`, because the leak guard runs
 * in a process of its own.
 */
const LEAVES_MS = isLong ? 1500 : 750;

const latin1 = (text: string) => Buffer.from(text, "latin1");

function messageOf(name: string, size: number) {
  const made = hostileMessages[name]?.(size - 2000);
  if (made === undefined) throw new Error(`unknown hostile message: ${name}`);
  const header = latin1(made.header);
  return { header, body: latin1(made.body), fields: readMessageFields({ header, fields: readHeader(header).fields }) };
}

type Message = ReturnType<typeof messageOf>;

const owner = {
  aliasAddress: "shop@kauke.test",
  mailboxes: ["olga@owner.example"],
  isOwnMailbox: () => true,
  correspondentOf: () => null,
};
const toAlias = { addressFor: () => "shop@kauke.test", nameFor: (name: string) => name, unreadable: "remove" } as const;

/**
 * Operations on the parts of a whole message, as sequences of steps. Each step runs in a turn of the event loop of its
 * own and may use the results of earlier steps.
 */
const turns: Record<string, (message: Message) => Generator<() => unknown>> = {
  *"calendars to be forwarded"({ fields, body }) {
    let plan: CalendarPlan = { kind: "keep" };
    yield () => {
      plan = planCalendars(fields, () => body);
    };
    yield () => (plan.kind === "edit" ? writeCalendars(plan.edits, body, toAlias) : null);
  },
  *"parts that name the owner"({ fields, body }) {
    let found: OwnerParts = { edits: [], reports: [] };
    yield () => {
      found = findOwnerParts(fields, body);
    };
    yield () => writeOwnerParts(body, found, owner);
  },
  *"parts of an answer"({ header, body }) {
    const named = { token: "abcdefgh", domain: "kauke.test" };
    yield () => rewriteParts({ header, body, ...named });
  },
};

function splitForLeakGuard({ header, body }: Message): void {
  try {
    for (const leaf of mimeLeaves(Buffer.concat([header, latin1("\r\n"), body]))) if (leaf.part === "?") return;
  } catch (thrown) {
    if (!(thrown instanceof UnsearchableError)) throw thrown;
  }
}

describe("parsing a whole message", () => {
  it.each(Object.keys(hostileMessages))(
    "takes no long turn of the event loop: %s",
    { timeout: aFewMinutes },
    async (name) => {
      const message = messageOf(name, MESSAGE_BYTES);
      const slow: string[] = [];
      for (const [parts, begin] of Object.entries(turns)) {
        for (const turn of begin(message)) {
          const tookMs = await leastCpuMs(turn, undefined, TURN_MS);
          if (tookMs >= TURN_MS) slow.push(`${parts}: ${tookMs.toFixed(0)} ms`);
        }
      }
      const splitMs = await leastCpuMs(splitForLeakGuard, message, LEAVES_MS);
      if (splitMs >= LEAVES_MS) slow.push(`the leak guard splits it: ${splitMs.toFixed(0)} ms`);
      expect(slow).toEqual([]);
    },
  );

  it.each(Object.keys(hostileMessages).filter((_, at) => isLong || at % 2 === 0))(
    "takes about twice the time for twice the bytes: %s",
    {
      timeout: aFewMinutes,
    },
    async (name) => {
      const largest = isLong ? MESSAGE_BYTES : 64 * 1024;
      const make = (size: number) => messageOf(name, size + 2000);
      for (const [parts, begin] of Object.entries(turns)) {
        const run = (message: Message) => {
          for (const turn of begin(message)) turn();
        };
        expect([parts, await growthOf({ make, run, largest })]).toEqual([parts, "linear"]);
      }
    },
  );
});
