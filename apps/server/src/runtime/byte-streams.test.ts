import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { array, assert, integer, oneof, property } from "fast-check";
import { expect, it } from "vitest";
import { BLOCK_BYTES, ByteBlocks, ChunkCount, collectStream } from "./byte-streams.ts";

/** A chunk with memory of its own, as sockets and the HTTP parser deliver it. */
const chunkOf = (bytes: number, value: number) => Buffer.from(new ArrayBuffer(bytes)).fill(value);

it("gathers chunks of any sizes in order, in at most twice their bytes and a block", () => {
  const size = oneof(integer({ min: 0, max: 3 }), integer({ min: 0, max: 5000 }), integer({ min: 0, max: 70_000 }));
  assert(
    property(array(size, { maxLength: 60 }), (sizes) => {
      const blocks = new ByteBlocks();
      const chunks = sizes.map((bytes, index) => chunkOf(bytes, index));
      const whole = Buffer.concat(chunks);
      for (const chunk of chunks) blocks.push(chunk);
      expect(blocks.length).toBe(whole.length);
      const taken = blocks.take();
      expect(Buffer.concat(taken).equals(whole)).toBe(true);
      expect(blocks.length).toBe(0);
      expect(taken.every((chunk) => chunk.length > 0)).toBe(true);
      const memory = new Set(taken.map((chunk) => chunk.buffer));
      const bytes = [...memory].reduce((sum, buffer) => sum + buffer.byteLength, 0);
      expect(bytes).toBeLessThanOrEqual(2 * whole.length + BLOCK_BYTES);
    }),
  );
});

it("makes few blocks of many small chunks, and none of a single chunk", () => {
  const blocks = new ByteBlocks();
  for (let count = 0; count < 100_000; count++) blocks.push(chunkOf(1, 7));
  expect(blocks.take().length).toBeLessThan(10);
  const only = chunkOf(5, 1);
  blocks.push(only);
  expect(blocks.take()[0]).toBe(only);
});

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

it("does not pass a part off as the whole when the last chunk is too large", async () => {
  const server = createServer((_request, response) => void response.end("one two"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((done) => get({ port, host: "127.0.0.1" }, done));
  expect(await collectStream(response, 5)).toBeNull();
  server.close();
});

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
