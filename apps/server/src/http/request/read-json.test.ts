import { limits } from "@kauke/contract";
import fastify from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readOnlyJson } from "./read-json.ts";

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
