import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import type { FastifyRequest } from "fastify";
import { expect, it, vi } from "vitest";
import { collectBody } from "./collect-body.ts";

const BODY_LIMIT = 200_000;
const chunkOf = (bytes: number) => Buffer.from(new ArrayBuffer(bytes)).fill("x");

/** Collects a body that arrives in these chunks; with an error instead of its end if `isCutOff`. */
async function collect(chunks: readonly Buffer[], { announced = "", isCutOff = false } = {}) {
  const headers = announced === "" ? {} : { "content-length": announced };
  const payload = new PassThrough();
  const done = vi.fn<(error: Error | null, body: Buffer) => void>();
  const request = { headers, routeOptions: { bodyLimit: BODY_LIMIT } } as FastifyRequest;
  collectBody({ request, payload: payload as unknown as IncomingMessage }, done);
  for (const chunk of chunks) payload.write(chunk);
  if (isCutOff) payload.destroy(new Error("aborted"));
  else payload.end();
  await vi.waitFor(() => expect(done).toHaveBeenCalled());
  expect(done).toHaveBeenCalledOnce();
  const [error, body] = done.mock.calls[0]!;
  return { error, status: (error as { statusCode?: number } | null)?.statusCode, body: body.toString() };
}

it("a body is joined from its chunks", async () => {
  const chunks = [Buffer.from("one "), Buffer.from("two")];
  expect(await collect(chunks, { announced: "7" })).toMatchObject({ error: null, body: "one two" });
  expect(await collect(chunks)).toMatchObject({ error: null, body: "one two" });
  expect(await collect([])).toMatchObject({ error: null, body: "" });
});

it.each([
  ["announces more than the limit of the route is refused unread", [], { announced: String(BODY_LIMIT + 1) }, 413],
  ["exceeds the limit of the route is refused", [chunkOf(BODY_LIMIT), chunkOf(1), chunkOf(1)], {}, 413],
  ["is shorter than announced is refused", [chunkOf(5)], { announced: "6" }, 400],
  ["is cut off is refused", [chunkOf(5)], { announced: "6", isCutOff: true }, 400],
])("a body that %s", async (_, chunks, how, status) => {
  expect(await collect(chunks, how)).toMatchObject({ status, body: "" });
});
