import { expect, it, vi } from "vitest";
import type { AppError } from "../app-error.ts";
import { type ReadingPlace, ReadingPlaces } from "./reading-places.ts";

/** Bytes that arrive when the test says so. */
function source() {
  const waiting: PromiseWithResolvers<Uint8Array>[] = [];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = Promise.withResolvers<Uint8Array>();
      waiting.push(next);
      yield await next.promise;
    }
  }
  return { bytes: bytes(), send: (count: number) => waiting.shift()?.resolve(new Uint8Array(count)) };
}

async function readAll(place: ReadingPlace, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of place.arriving(bytes));
}

const codeOf = (thrown: unknown) => (thrown as AppError).code;

it("while an import waits, the one that has waited longest for bytes beyond its due gives way, and no other", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let now = 0;
  const places = new ReadingPlaces(() => now);
  const ended: string[] = [];
  const sources = ["stopped", "steady", "short"].map((name) => ({ name, ...source() }));
  for (const { name, bytes } of sources)
    places
      .run({ userId: name, block: name }, (place) => readAll(place, bytes))
      .catch((thrown: unknown) => {
        ended.push(`${name} ${codeOf(thrown)}`);
      });
  // An import whose bytes have all arrived, and which our own work delays.
  void places.run({ userId: "ours", block: "ours" }, () => new Promise(() => {}));
  await expect(places.run({ userId: "ours", block: "ours" }, async () => {})).rejects.toMatchObject({ code: "busy" });
  let isServed = false;
  void places.run({ userId: "ann", block: "ann" }, async () => void (isServed = true));
  now = 2900;
  await vi.advanceTimersByTimeAsync(600);
  expect(ended).toEqual([]);
  sources[1]?.send(1_000_000);
  await vi.advanceTimersByTimeAsync(0);
  now = 3100;
  await vi.advanceTimersByTimeAsync(600);
  expect([ended, isServed]).toEqual([["stopped busy"], true]);
  now = 600_000;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ended).toHaveLength(1);
  vi.useRealTimers();
});
