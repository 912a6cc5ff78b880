import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeOwner, fakeWorker, obedientProgram } from "./fake-worker.testing.ts";
import type { ToOwner } from "./messages.ts";
import { ShareHub } from "./share-hub.ts";
import { isToOwner, wellFormed } from "./well-formed.ts";

const ports = { mx: 25, submission: null, submissions: 465 };
const valid: ToOwner[] = [
  { kind: "ready", ports },
  { kind: "failed", code: "EADDRINUSE", port: null },
  { kind: "call", id: 1, part: "aliases", method: "findRoute", args: [] },
  { kind: "dropped", id: 1 },
  { kind: "trace", messageId: "m", step: {} as never },
  { kind: "counts", counts: [["kauke_mail_total", { result: "taken" }, 1]], gauges: [["kauke_mx_sessions", 2]] },
  { kind: "shares", batch: [["open", "key", -1]] },
  { kind: "pong" },
  { kind: "stopped" },
];

test.each(valid)("the message $kind is passed on", (message) => {
  expect(isToOwner(message)).toBe(true);
});

const hostile = fc.oneof(
  fc.anything({ withMap: true, withNullPrototype: true }),
  fc.record({ kind: fc.constantFrom(...valid.map(({ kind }) => kind), "__proto__", "constructor", "toString") }),
  fc.tuple(fc.constantFrom(...valid), fc.anything(), fc.nat()).map(([message, value, which]) => {
    const names = Object.keys(message);
    return { ...message, [names[which % names.length] as string]: value };
  }),
);

test("whatever a worker sends, the owner throws nothing: it ends the worker or serves it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 5 }), async (messages) => {
      const owner = fakeOwner({ count: 1, program: obedientProgram });
      await owner.workers.start();
      const [worker] = owner.launched;
      // Injected on the owner's side, because some of these values can't be serialized by the worker's side.
      expect(() => (worker?.link as unknown as { receive(all: unknown[]): void }).receive(messages)).not.toThrow();
      if (messages.some((message) => !isToOwner(message))) expect(worker?.isEnded()).toBe(true);
      await owner.workers.close(0);
    }),
    { numRuns: 500 },
  );
});

test("nothing that follows a malformed message is read", () => {
  const heard: string[] = [];
  const worker = fakeWorker(obedientProgram);
  const { link } = wellFormed(worker);
  link.onMessage(({ kind }) => void heard.push(kind));
  new ShareHub().join(1, link);
  const all = [{ kind: "pong" }, { kind: "shares", batch: null }, { kind: "stopped" }] as unknown as ToOwner[];
  (worker.link as unknown as { receive(all: ToOwner[]): void }).receive(all);
  expect([heard, worker.isEnded()]).toEqual([["pong"], true]);
});
