import { limits } from "@kauke/contract";
import { type FastifyInstance, fastify } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toProblem } from "../response/problem.ts";
import { readAnyJson, readOnlyJson } from "./read-json.ts";

let app: FastifyInstance;
beforeAll(async () => {
  app = fastify();
  app.setErrorHandler((thrown, _, reply) => reply.code(toProblem(thrown, new Date())?.status ?? 500).send());
  readOnlyJson(app);
  app.post("/strict", async ({ body }) => ({ body }));
  await app.register(async (scope) => {
    readAnyJson(scope);
    scope.route({ method: ["POST", "DELETE", "PATCH"], url: "/any", handler: async ({ body }) => ({ body }) });
  });
});
afterAll(() => app.close());

const send = (payload: string | Buffer, type?: string, method: "POST" | "DELETE" = "POST", url = "/any") =>
  app.inject({ method, url, payload, headers: type === undefined ? {} : { "content-type": type } });

it.each(["application/json", "application/json; charset=UTF-8", "text/plain;charset=UTF-8", "x/y", "text/html"])(
  "JSON is read whatever the content type says: %s",
  async (type) => {
    const answer = await send('{"id":"a"}', type);
    expect([answer.statusCode, answer.json()]).toEqual([200, { body: { id: "a" } }]);
  },
);

it("JSON is parsed without a content type, and in a DELETE request", async () => {
  expect((await send('{"id":"a"}')).json()).toEqual({ body: { id: "a" } });
  expect((await send('{"id":"a"}', "application/json", "DELETE")).json()).toEqual({ body: { id: "a" } });
});

it.each(["", " ", "\n"])("an empty body is none, even if JSON is announced: %j", async (text) => {
  for (const type of ["application/json", "text/plain", undefined])
    expect((await send(text, type)).json(), type).toEqual({});
});

it.each(["{", "a=b", '{"a":1}x', '{"__proto__":{}}', "\u0000"])("%j is refused", async (text) => {
  expect((await send(text, "text/plain")).statusCode).toBe(400);
});

it("bytes that are not UTF-8 and bodies above the limit are refused", async () => {
  expect((await send(Buffer.from([0x22, 0xff, 0x22]))).statusCode).toBe(400);
  expect((await send(JSON.stringify("x".repeat(limits.smallBodyMaxBytes)))).statusCode).toBe(413);
});

it("a malformed content type is refused", async () => {
  expect((await send('{"id":"a"}', "not a type")).statusCode).toBe(415);
});

it("routes outside the dialect's scope still accept JSON only with its content type", async () => {
  expect((await send('{"id":"a"}', "text/plain", "POST", "/strict")).statusCode).toBe(415);
  expect((await send('{"id":"a"}', "application/json", "POST", "/strict")).statusCode).toBe(200);
});
