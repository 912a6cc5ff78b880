import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { collectStream } from "./collect-stream.ts";

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
