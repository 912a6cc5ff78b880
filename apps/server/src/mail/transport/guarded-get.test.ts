import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { afterEach, expect, it } from "vitest";
import { parseAllowList } from "./address-guard.ts";
import { guardedGet } from "./guarded-get.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(handle: RequestListener): Promise<number> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const dns = createFakeDns({ "addy.example": { a: ["127.0.0.1"] }, "inside.example": { a: ["10.0.0.1"] } });
const client = (allow: string[]) => guardedGet({ resolver: dns, allow: parseAllowList(allow) });
const get = (port: number, { allow = ["addy.example"], host = "addy.example", totalMs = 5000 } = {}) =>
  client(allow).get({ url: new URL(`http://${host}:${port}/x?y=1`), headers: { authorization: "Bearer k" }, totalMs });

it("reads a response, and follows no redirect", async () => {
  const asked: unknown[] = [];
  const port = await listen((request, response) => {
    asked.push([request.method, request.url, request.headers.authorization]);
    if (asked.length > 1) response.writeHead(302, { location: "http://inside.example/" });
    else response.setHeader("x-page-count", "3");
    response.end("body");
  });
  const answer = await get(port);
  if (typeof answer === "string") throw new Error(answer);
  let text = "";
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  expect([answer.status, answer.pageCount, text]).toEqual([200, 3, "body"]);
  const redirect = await get(port);
  expect(typeof redirect === "string" ? redirect : redirect.status).toBe(302);
  expect(asked).toEqual([
    ["GET", "/x?y=1", "Bearer k"],
    ["GET", "/x?y=1", "Bearer k"],
  ]);
});

it("connects to no address of the internal network unless the operator allowed it", async () => {
  const port = await listen((_, response) => void response.end("secret"));
  expect(await get(port, { allow: [] })).toBe("refused");
  expect(await get(port, { host: "127.0.0.1" })).toBe("refused");
  expect(await get(80, { host: "inside.example" })).toBe("refused");
  expect(await get(80, { host: "localhost" })).toBe("refused");
});

it("aborts when a service is slow to begin or to end its response", async () => {
  const silent = await listen(() => {});
  expect(await get(silent, { totalMs: 200 })).toBe("failed");
  const endless = await listen((_, response) => void response.write("begin"));
  const answer = await get(endless, { totalMs: 300 });
  if (typeof answer === "string") throw new Error(answer);
  const readAll = async () => {
    for await (const chunk of answer.body) expect(chunk.length).toBeGreaterThan(0);
  };
  await expect(readAll()).rejects.toThrow();
  expect(await get(1, { host: "missing.example", allow: ["missing.example"] })).toBe("failed");
});
