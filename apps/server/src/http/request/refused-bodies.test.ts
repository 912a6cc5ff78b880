/** What a client that sends too large a body gets to read, over real sockets. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../test/test-server.ts";

let server: TestServer;
let port: number;
beforeAll(async () => {
  server = await startTestServer({ config: { limits: "off" } });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  port = (server.app.server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const body = JSON.stringify({ email: "ann@example.org", password: "x".repeat(1_000_000) });

interface Upload {
  path: string;
  isChunked: boolean;
  /** Milliseconds between the pieces of the body. */
  pauseMs: number;
}

/**
 * Sends a request as a client that writes its whole body before it reads the response, as many do.
 * @returns status of the response, and the error that the client met while it was writing
 */
async function upload({ path, isChunked, pauseMs }: Upload): Promise<[status: number, error: string | null]> {
  const socket = connect(port, "127.0.0.1");
  let error: string | null = null;
  socket.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
    error = code;
  });
  await once(socket, "connect");
  const framing = isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost:3000\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`);
  for (let at = 0; at < body.length && error === null; at += 65_536) {
    const piece = body.slice(at, at + 65_536);
    const text = isChunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece;
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    if (pauseMs > 0) await wait(pauseMs);
  }
  if (isChunked) socket.write("0\r\n\r\n");
  let read = "";
  socket.on("data", (chunk: Buffer) => {
    read += chunk.toString("latin1");
  });
  const until = Date.now() + 5000;
  while (!read.includes("\r\n\r\n") && !socket.destroyed && Date.now() < until) await wait(5);
  socket.destroy();
  return [Number(read.split(" ", 2)[1] ?? 0), error];
}

/** Sends the same upload in several ways, and checks that each client reads the status without having met an error. */
async function expectStatus(path: string, status: number): Promise<void> {
  expect(body.length).toBeGreaterThan(4 * limits.smallBodyMaxBytes);
  for (const isChunked of [false, true])
    for (const pauseMs of [0, 2]) {
      const uploads = Array.from({ length: 5 }, () => upload({ path, isChunked, pauseMs }));
      for (const result of await Promise.all(uploads)) expect(result).toEqual([status, null]);
    }
}

describe("a client that writes its whole body before it reads gets the refusal", () => {
  it.each([
    ["a call of another product", "/api/v1/aliases", 401],
    ["a call that needs a session", "/api/email-jobs", 401],
    ["a path that does not exist", "/api/nothing", 404],
  ])("of %s", async (_, path, status) => expectStatus(path, status));

  it("of a body above the limit", async () => expectStatus("/api/auth/register", 413));
});
