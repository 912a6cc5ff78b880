import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { limits } from "@kauke/contract";
import type { FastifyRequest } from "fastify";
import fastify from "fastify";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectBody, readOnlyJson } from "./read-json.ts";

let turn: number;
let isOver: boolean;
beforeEach(() => {
  turn = 0;
  isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
});
afterEach(() => {
  isOver = true;
});

/** @returns the iterations of the event loop in which the handler got each of ten bodies that were sent together */
async function turnsOf(bytes: number): Promise<number[]> {
  const app = fastify({ bodyLimit: limits.requestBodyMaxBytes });
  readOnlyJson(app);
  const turns: number[] = [];
  app.post("/", (_, reply) => {
    turns.push(turn);
    return reply.send();
  });
  await app.ready();
  const payload = { text: "x".repeat(bytes) };
  await Promise.all(Array.from({ length: 10 }, () => app.inject({ method: "POST", url: "/", payload })));
  await app.close();
  return turns;
}

it("large bodies that arrive together are read in one iteration of the event loop each, so others get their turn", async () => {
  const turns = await turnsOf(limits.smallBodyMaxBytes);
  expect(turns).toHaveLength(10);
  expect(new Set(turns).size).toBe(10);
});

it("small bodies are read at once", async () => {
  const turns = await turnsOf(1000);
  expect(turns).toHaveLength(10);
  expect(new Set(turns).size).toBe(1);
});

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
