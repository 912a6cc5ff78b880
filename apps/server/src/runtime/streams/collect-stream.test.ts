import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { ChunkCount, collectStream } from "./collect-stream.ts";

const isTooMany = (chunks: number, bytes: number) => {
  const count = new ChunkCount();
  return Array.from({ length: chunks }, () => count.isTooMany(bytes)).includes(true);
};

it.each([
  ["a request typed by hand", 300, 1],
  ["a million chunks of 64 bytes", 1_000_000, 64],
  ["a large file", 1000, 65_536],
])("%s has few enough chunks", (_, chunks, bytes) => {
  expect(isTooMany(chunks, bytes)).toBe(false);
});

it.each([
  ["two thousand single bytes", 2000, 1],
  ["ten thousand chunks of 32 bytes", 10_000, 32],
])("%s are too many", (_, chunks, bytes) => {
  expect(isTooMany(chunks, bytes)).toBe(true);
});

async function collect(chunks: readonly string[], { maxBytes = 100_000, isCutOff = false } = {}) {
  const stream = new PassThrough();
  const collected = collectStream(stream, maxBytes);
  for (const chunk of chunks) {
    stream.write(chunk);
    await nextTurn();
  }
  if (isCutOff) stream.destroy(new Error("reset"));
  else stream.end();
  const blocks = await collected;
  return { text: blocks === null ? null : Buffer.concat(blocks).toString(), isDestroyed: stream.destroyed };
}

it("joins the chunks of a stream", async () => {
  expect((await collect(["one ", "two"])).text).toBe("one two");
  expect((await collect([])).text).toBe("");
});

it.each([
  ["exceeds the maximum", ["12345", "6"], { maxBytes: 5 }],
  ["has too many chunks for its bytes", Array<string>(1500).fill("x"), {}],
  ["is cut off", ["12"], { isCutOff: true }],
])("destroys a stream that %s", async (_, chunks, how) => {
  expect(await collect(chunks, how)).toEqual({ text: null, isDestroyed: true });
});
