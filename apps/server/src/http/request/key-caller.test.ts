/** Calls made with an API key that are not in the contract's table, such as those compatible with other services. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore, type Store } from "../../store/open-store.ts";
import { bearer, newKey } from "../api-keys/api-keys.testing.ts";
import { onlyWithAuthentication } from "../compat/client-requests.ts";
import { startTestServer, TestClock, type TestServer, Visitor } from "../test/test-server.ts";
import { byKey, callerOf } from "./key-caller.ts";

let store: Store;
let server: TestServer;
const turns: boolean[] = [];
let [running, most] = [0, 0];

beforeAll(async () => {
  const clock = new TestClock();
  store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null, clock });
  server = await startTestServer({
    store,
    asCaller: (turn, work) => {
      turns.push(turn.isKnown);
      return work();
    },
    extraRoutes: [(app) => mountTheirs(app, byKey({ apiKeys: store.apiKeys, clock }, "aliases:read"))],
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

function mountTheirs(app: FastifyInstance, onRequest: ReturnType<typeof byKey>): void {
  app.get("/api/v1/slow", { onRequest }, async (request) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    if (request.url.includes("fail")) throw new Error("failed");
    return { userId: callerOf(request).userId };
  });
  app.get("/api/aliases/:id/with-smtp", { ...onlyWithAuthentication, onRequest }, async ({ params }) => ({
    theirs: params,
  }));
  app.get("/api/session-free", onlyWithAuthentication, async () => ({ theirs: true }));
}

it("calls with an API key run at most four at once per account, also after failures", async () => {
  const person = await new Visitor(server).register();
  const { secret } = await newKey(person);
  turns.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 15 }, (_, index) =>
      server.app.inject({ url: `/api/v1/slow${index % 3 === 0 ? "?fail" : ""}`, headers: bearer(secret) }),
    ),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 500)).toHaveLength(5);
  const done = answers.filter(({ statusCode }) => statusCode === 200).map((it) => it.json());
  expect(done).toEqual(Array.from({ length: 10 }, () => ({ userId: person.userId })));
  expect(most).toBe(4);
  expect(turns.filter((isKnown) => isKnown)).toHaveLength(15);
});

it("a call of another product is told from ours on the same path by the field Authentication", async () => {
  const person = await new Visitor(server).register();
  const { secret } = await newKey(person);
  const id = person.userId;
  const theirs = await server.app.inject({ url: `/api/aliases/${id}/with-smtp`, headers: { authentication: secret } });
  expect(theirs.json()).toEqual({ theirs: { id } });
  const ours = await server.app.inject({ url: `/api/aliases/${id}/with-smtp`, headers: bearer(secret) });
  expect(ours.json()).toEqual({ aliases: [] });
  expect((await person.call("listAliasesWithSmtp")).body).toEqual({ aliases: [] });
  const stats = await server.app.inject({ url: "/api/account-stats", headers: { authentication: secret } });
  expect(stats.statusCode).toBe(200);
  expect((await server.app.inject({ url: "/api/session-free" })).statusCode).toBe(404);
});

it("a call without a valid key is refused, whatever its cookie", async () => {
  const answer = await server.app.inject({ url: "/api/v1/slow", headers: { cookie: "sid=x" } });
  expect([answer.statusCode, answer.json().code]).toEqual([401, "key_invalid"]);
});
