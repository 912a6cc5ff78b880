/**
 * Bursts of chunks of one byte: each costs the event loop about a microsecond, whether anybody reads the body or not, so
 * a request may have only so many.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { expect, test } from "vitest";
import { heldBytesForFile } from "./scenes/held-bytes.testing.ts";

const CHUNKS = rounds(500_000, 3_000_000);

const its = heldBytesForFile();

const one = Buffer.from("1\r\nx\r\n".repeat(CHUNKS));
/** As many bytes in chunks of 4 KiB. */
const large = Buffer.from(`1000\r\n${"x".repeat(4096)}\r\n`.repeat(Math.floor(one.length / 4104)));

/** Sends the body to a call. @returns processor time of the server, and whether it closed the connection */
async function burst(line: string, fields: string, body: Buffer): Promise<{ ms: number; isClosed: boolean }> {
  const before = await its.held.processorMs();
  const socket = connect({ port: its.held.ports.web, host: "127.0.0.1" });
  socket.on("error", () => {}).resume();
  await once(socket, "connect");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`${line} HTTP/1.1\r\nhost: localhost:3000\r\ntransfer-encoding: chunked\r\n${fields}\r\n`);
  await sleep(100);
  const written = new Promise((resolve) => socket.write(body, resolve)).then(() => sleep(300));
  await Promise.race([closed, written]);
  const result = { isClosed: socket.destroyed, ms: (await its.held.processorMs()) - before };
  socket.destroy();
  return result;
}

const json = "content-type: application/json\r\n";
const calls: Record<string, () => [line: string, fields: string]> = {
  "a page": () => ["GET /healthz", ""],
  "no such route": () => ["POST /nothing", json],
  "a call without a session": () => ["POST /api/api-keys", json],
  "an unknown expectation": () => ["POST /api/auth/login", "expect: something\r\n"],
  "an import": () => ["POST /api/imports", `content-type: application/octet-stream\r\ncookie: ${its.cookie}\r\n`],
};

test.each(Object.keys(calls))("%s: the connection is closed after a small part of the burst", async (name) => {
  const [line, fields] = calls[name]!();
  const cut = await burst(line, fields, one);
  const whole = await burst(line, fields, large);
  printFigures(name, { "ms of a burst": Math.round(cut.ms), "ms of as many bytes": Math.round(whole.ms) });
  expect(cut.isClosed).toBe(true);
  // A tenth of what the burst would cost at a microsecond for each chunk.
  expect(cut.ms).toBeLessThan(whole.ms + 50 + CHUNKS / 10_000);
});

test("control: ordinary chunks, and few single bytes, are read to the end", async () => {
  const body = JSON.stringify({ email: "nobody@example.net", password: "wrong horse battery" });
  for (const bytes of [1, 7, 300]) {
    const socket = connect({ port: its.held.ports.web, host: "127.0.0.1" });
    let heard = "";
    socket.on("data", (chunk) => void (heard += chunk.toString()));
    socket.write(
      `POST /api/auth/login HTTP/1.1\r\nhost: localhost:3000\r\n${json}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
    );
    for (let from = 0; from < body.length; from += bytes) {
      const part = body.slice(from, from + bytes);
      socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    }
    socket.write("0\r\n\r\n");
    await once(socket, "close");
    expect(heard).toMatch(/^HTTP\/1\.1 401/);
  }
});
