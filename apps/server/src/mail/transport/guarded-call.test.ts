import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { describe, expect, test } from "vitest";
import type { Resolver } from "../dns/resolver.ts";
import { parseAllowList } from "./address-guard.ts";
import { guardedCall } from "./guarded-call.ts";

const closers = closeAfterEach();
const { signal } = new AbortController();
const never = () => new Promise<never>(() => {});

async function served(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/account`);
}

async function accepted(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    sockets.push(socket);
    onConnection(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function callTo(url: URL, { allow = ["127.0.0.1"], resolver = {}, abort = signal } = {}) {
  const rules = { resolver: resolver as Resolver, allow: parseAllowList(allow) };
  const request = { method: "POST", url, headers: { "x-test": "1" }, body: Buffer.from("{}") } as const;
  return guardedCall(rules, { responseBytes: 1000, callMs: 300 })(request, abort);
}

describe("a call that was surely not sent", () => {
  test.each([
    ["a private address", "http://10.0.0.1/"],
    ["a loopback name", "http://localhost:8080/"],
    ["another scheme", "ftp://provider.example/"],
    ["a user name", "https://key@provider.example/"],
  ])("to %s", async (_what, url) => {
    expect(await callTo(new URL(url), { allow: [] })).toEqual({ kind: "unsent" });
  });

  test("to a name that has a private address", async () => {
    const calls: string[] = [];
    const { port } = await served((request, response) => {
      calls.push(request.url ?? "");
      response.end();
    });
    const resolver = {
      resolve4: async () => ({ kind: "found", records: ["127.0.0.1"] }),
      resolve6: async () => ({ kind: "missing" }),
    };
    expect(await callTo(new URL(`http://provider.example:${port}/`), { allow: [], resolver })).toEqual({
      kind: "unsent",
    });
    expect(calls).toEqual([]);
  });

  test("to a port where nobody listens", async () => {
    expect(await callTo(new URL("http://127.0.0.1:1/"))).toEqual({ kind: "unsent" });
  });

  test("while the name is looked up for ever", async () => {
    const resolver = { resolve4: never, resolve6: never };
    expect(await callTo(new URL("https://provider.example/"), { resolver })).toEqual({ kind: "unsent" });
  });

  test("while TLS does not begin", async () => {
    const port = await accepted(() => {});
    expect(await callTo(new URL(`https://127.0.0.1:${port}/`))).toEqual({ kind: "unsent" });
  });

  test("after everything was stopped", async () => {
    let calls = 0;
    const url = await served((_request, response) => {
      calls++;
      response.end();
    });
    expect(await callTo(url, { abort: AbortSignal.abort() })).toEqual({ kind: "unsent" });
    expect(calls).toBe(0);
  });
});

describe("a call that may have been carried out", () => {
  test("without a response in time", async () => {
    const url = await served(() => {});
    expect(await callTo(url)).toEqual({ kind: "lost", isTimeout: true });
  });

  test("without a response when everything is stopped", async () => {
    const stopping = new AbortController();
    const url = await served(() => stopping.abort());
    expect(await callTo(url, { abort: stopping.signal })).toEqual({ kind: "lost", isTimeout: true });
  });

  test("whose connection is closed", async () => {
    const url = await served((request) => request.socket.destroy());
    expect(await callTo(url)).toEqual({ kind: "lost", isTimeout: false });
  });

  test("whose response ends early", async () => {
    const url = await served((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 20);
    });
    expect(await callTo(url)).toEqual({ kind: "lost", isTimeout: false });
  });

  test("whose response comes a byte at a time", async () => {
    const url = await served((_request, response) => {
      const timer = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const startedAt = performance.now();
    expect(await callTo(url)).toEqual({ kind: "lost", isTimeout: true });
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });

  test("whose response is too large", async () => {
    const url = await served((_request, response) => void response.end("a".repeat(1001)));
    expect(await callTo(url)).toEqual({ kind: "lost", isTimeout: false });
  });

  test("whose response is no HTTP", async () => {
    const port = await accepted((socket) => void socket.end("220 mail.example ESMTP\r\n"));
    expect(await callTo(new URL(`http://127.0.0.1:${port}/`))).toEqual({ kind: "lost", isTimeout: false });
  });

  test("whose response switches to another protocol, or says to wait for ever", async () => {
    for (const status of ["101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade", "102 Processing"]) {
      const port = await accepted((socket) => void socket.write(`HTTP/1.1 ${status}\r\n\r\n`));
      expect(await callTo(new URL(`http://127.0.0.1:${port}/`))).toMatchObject({ kind: "lost" });
    }
  });
});

test("a response is passed on as it is, a redirect too", async () => {
  const url = await served((request, response) => {
    response.writeHead(request.headers["x-test"] === "1" ? 307 : 400, {
      location: "http://10.0.0.1/",
      "content-type": "application/json",
      "retry-after": "3",
      "x-page-count": "2",
    });
    response.end('{"a":1}');
  });
  expect(await callTo(url)).toEqual({
    kind: "response",
    status: 307,
    contentType: "application/json",
    retryAfter: "3",
    pageCount: "2",
    body: Buffer.from('{"a":1}'),
  });
});
