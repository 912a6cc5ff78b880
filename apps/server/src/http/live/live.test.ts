/** The event stream over real connections: who gets it, what is in it, and when it ends. */
import { randomUUID } from "node:crypto";
import { type LiveKind, liveKinds } from "@kauke/contract";
import { afterEach, expect, test } from "vitest";
import { bearer, newKey } from "../api-keys/api-keys.testing.ts";
import { startTestServer, type TestServer, type TestServerOptions, Visitor } from "../test/test-server.ts";

interface Stream {
  status: number;
  headers: Headers;
  /** The next event's data; `null` when the stream has ended. */
  next(): Promise<string | null>;
  /** All text so far. */
  text(): string;
  close(): void;
}

const servers: TestServer[] = [];
const streams: Stream[] = [];
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  servers.push(server);
  const origin = await server.app.listen({ port: 0, host: "127.0.0.1" });
  const ann = await new Visitor(server).register();
  return {
    server,
    origin,
    ann,
    open: (visitor: Visitor, more: Record<string, string> = {}, path = "/api/events") =>
      openStream(`${origin}${path}`, visitor, more),
  };
}

async function openStream(url: string, { cookies }: Visitor, more: Record<string, string>): Promise<Stream> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const ended = new AbortController();
  const response = await fetch(url, { headers: { cookie, ...more }, signal: ended.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let all = "";
  let rest = "";
  const stream: Stream = {
    status: response.status,
    headers: response.headers,
    text: () => all,
    close: () => ended.abort(),
    async next() {
      for (;;) {
        const found = /^data: (.*)\n\n/m.exec(rest);
        if (found !== null) {
          rest = rest.slice(found.index + found[0].length);
          return found[1] ?? "";
        }
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done || value === undefined) return null;
        all += value;
        rest += value;
      }
    },
  };
  streams.push(stream);
  return stream;
}

test("a change by another session, an API key or the mail path is told, within two seconds, without content", async () => {
  const { server, ann, open } = await start();
  const { secret } = await newKey(ann);
  const stream = await open(ann);
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.headers.get("cache-control")).toBe("no-store, no-transform");
  expect(stream.headers.get("x-accel-buffering")).toBe("no");
  const before = performance.now();
  const alias = await ann.createAlias({ alias: "very-secret-name" });
  expect((await stream.next())?.split(" ")).toContain("aliases");
  expect(performance.now() - before).toBeLessThan(2000);
  const byKey = await new Visitor(server).call("toggleAlias", {
    params: { aliasId: alias.id },
    body: { active: false },
    headers: bearer(secret),
  });
  expect(byKey.status).toBe(200);
  expect(await stream.next()).toBe("aliases");
  await server.store.notices.insert({
    id: randomUUID(),
    userId: ann.userId,
    aliasId: alias.id,
    kind: "mailbox_suspended",
    text: "A host said that the mailbox does not exist.",
    createdAt: server.clock.now(),
  });
  expect(await stream.next()).toBe("notices");
  const words = new Set(
    stream
      .text()
      .replaceAll(/^data: /gm, "")
      .split(/[\s:]+/)
      .filter(Boolean),
  );
  for (const word of words) expect(liveKinds).toContain(word as LiveKind);
});

test("another account's stream hears nothing", async () => {
  const { server, ann, open } = await start();
  const bob = await new Visitor(server).register();
  const [own, foreign] = [await open(ann), await open(bob)];
  await ann.createAlias();
  await own.next();
  await bob.createAlias();
  expect(await foreign.next()).toContain("aliases");
  expect(foreign.text().match(/data: /g)).toHaveLength(1);
});

test("it needs a login session: no visitor, API key or other site gets it", async () => {
  const { server, ann, open } = await start();
  const { secret } = await newKey(ann);
  expect((await open(new Visitor(server))).status).toBe(401);
  expect((await open(ann, bearer(secret))).status).toBe(401);
  expect((await open(ann, { "sec-fetch-site": "cross-site" })).status).toBe(403);
});

test("an open stream is no activity: the session expires as without it", async () => {
  const { server, ann, open } = await start();
  await open(ann);
  server.clock.advance(29 * 60);
  expect((await open(ann)).status).toBe(200);
  server.clock.advance(2 * 60);
  expect((await open(ann)).status).toBe(401);
  expect((await ann.call("getSession")).status).toBe(401);
});

test("it ends when the session is ended elsewhere, and when the server shuts down", async () => {
  const { server, ann, open } = await start();
  const other = new Visitor(server);
  other.cookies = new Map(ann.cookies);
  const ended = await open(ann);
  await other.call("logout");
  for (;;) if ((await ended.next()) === null) break;
  const bob = await new Visitor(server).register();
  const stream = await open(bob);
  const begun = performance.now();
  servers.splice(0);
  const closed = server.close();
  for (;;) if ((await stream.next()) === null) break;
  await closed;
  expect(performance.now() - begun).toBeLessThan(2500);
});

test.each(["/api/events", "/api/%65vents"])(
  "when sockets are scarce a stream at %s gives way to a request, and its client can come back",
  async (path) => {
    const rules = { max: 2, maxPerNetwork: 2, maxPerBlock: 2, maxPerBlockWhenCrowded: 2, slowAfterMs: 0 };
    const { origin, ann, open } = await start({ socketRules: rules });
    const [oldest, other] = [await open(ann, {}, path), await open(ann, {}, path)];
    const response = await fetch(`${origin}/healthz`, { headers: { connection: "close" } });
    expect(response.status).toBe(200);
    await response.text();
    await expect(oldest.next()).rejects.toThrow();
    await ann.createAlias();
    expect(await other.next()).toContain("aliases");
    expect((await open(ann)).status).toBe(200);
  },
);
