import { array, assert, integer, oneof, property } from "fast-check";
import { expect, it } from "vitest";
import { BLOCK_BYTES, ByteBlocks } from "./byte-blocks.ts";

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
