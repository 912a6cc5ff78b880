/**
 * Streams cut into chunks of one byte, over real sockets: for n bytes every listener and every client of ours holds at
 * most 2 n + 64 KiB a connection, objects included, however the bytes are cut.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { SmtpTalk } from "@kauke/testkit/smtp-talk";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { describe, expect, test, vi } from "vitest";
import { heldBytesForFile } from "./scenes/held-bytes.testing.ts";
import type { HeldClient } from "./scenes/held-bytes-program.testing.ts";

const CONNECTIONS = rounds(16, 120);
/** Bytes that the process may hold for other reasons than the connections, e.g. code compiled meanwhile. */
const NOISE_BYTES = 1_500_000;
/** The law of this file. */
const allowedBytes = (sent: number, connections: number) => connections * (2 * sent + 65_536) + NOISE_BYTES;

const its = heldBytesForFile();

const closers = closeAfterEach();

function keep(socket: Socket): Socket {
  socket.on("error", () => {});
  closers.push(() => void socket.destroy());
  return socket;
}

async function open(port: number, localAddress = "127.1.0.1"): Promise<Socket> {
  const socket = keep(connect({ port, host: "127.0.0.1", localAddress, noDelay: true }));
  await once(socket, "connect");
  socket.resume();
  return socket;
}

/** A body in the chunked coding (RFC 9112 §7.1), without its end. */
const chunked = (sizes: readonly number[]) =>
  Buffer.concat(sizes.map((size) => Buffer.from(`${size.toString(16)}\r\n${"x".repeat(size)}\r\n`)));
const times = (count: number, size: number) => Array<number>(count).fill(size);

const cuts: Record<string, Buffer> = {
  "chunks of one byte": chunked(times(60_000, 1)),
  "chunks of 66 bytes": chunked(times(900, 66)),
  "one large chunk, then chunks of one byte": chunked([30_000, ...times(30_000, 1)]),
  "chunks of one byte between large ones": chunked(times(14, 1).flatMap(() => [1, 4095])),
};
const someCuts = Object.entries(cuts).slice(0, rounds(2, 4));

const head = (line: string, fields: string) =>
  `${line} HTTP/1.1\r\nhost: localhost:3000\r\ntransfer-encoding: chunked\r\n${fields}\r\n`;
const json = "content-type: application/json\r\n";
const bytes = "content-type: application/octet-stream\r\n";
const calls: Record<string, () => [port: number, head: string]> = {
  "a request that nobody reads": () => [its.held.ports.unread, head("POST /", json)],
  "an open call": () => [its.held.ports.web, head("POST /api/auth/login", json)],
  "no such route": () => [its.held.ports.web, head("POST /nothing", json)],
  "a call without a session": () => [its.held.ports.web, head("POST /api/api-keys", json)],
  "a large body": () => [its.held.ports.web, head("POST /api/decrypt-manual", `${json}cookie: ${its.cookie}\r\n`)],
  "an import": () => [its.held.ports.web, head("POST /api/imports", `${bytes}cookie: ${its.cookie}\r\n`)],
  "a call of another service's client": () => [its.held.ports.web, head("POST /api/v1/aliases", json)],
  "an unknown expectation": () => [its.held.ports.web, head("POST /api/auth/login", `${json}expect: something\r\n`)],
};

/** Sends the text on so many connections at once. @returns bytes held for them */
async function hold(port: number, text: Buffer): Promise<number> {
  const before = await its.held.measure();
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  for (const socket of sockets) socket.write(text);
  const heldBytes = (await its.held.measure()) - before;
  for (const socket of sockets) socket.destroy();
  await its.held.measure();
  return heldBytes;
}

describe("HTTP", () => {
  test.each(Object.keys(calls))("%s", async (name) => {
    for (const [cut, body] of someCuts) {
      const [port, fields] = calls[name]!();
      const heldBytes = await hold(port, Buffer.concat([Buffer.from(fields), body]));
      printFigures(`${name}, ${cut}`, { "held of a connection": Math.round(heldBytes / CONNECTIONS) });
      expect([cut, heldBytes < allowedBytes(60_000, CONNECTIONS)]).toEqual([cut, true]);
    }
  });
});

/** Sends each byte in a TLS record of its own. */
async function writeSingly(socket: Socket, text: string): Promise<void> {
  for (const octet of text) await new Promise<void>((resolve) => void socket.write(octet, () => resolve()));
}

async function busySession(port: number, isImplicit: boolean): Promise<SmtpTalk> {
  const plain = await open(port);
  plain.removeAllListeners("data");
  const socket = isImplicit ? keep(connectTls({ socket: plain, rejectUnauthorized: false })) : plain;
  const talk = await SmtpTalk.over(socket);
  await talk.ask("EHLO client.example");
  if (!isImplicit) {
    expect(await talk.ask("STARTTLS")).toMatch(/^220/);
    await talk.startTls();
    await talk.ask("EHLO client.example");
  }
  await talk.ask("MAIL FROM:<>");
  talk.send("RCPT TO:<busy@kauke.test>\r\n");
  keep(talk.socket);
  return talk;
}

describe("SMTP over TLS, while a command is in progress", () => {
  const SENT = rounds(6000, 60_000);
  const SESSIONS = rounds(6, 20);

  test.each([
    ["STARTTLS", false],
    ["TLS from the first byte", true],
  ])("%s", async (_, isImplicit) => {
    const port = isImplicit ? its.held.ports.smtps : its.held.ports.smtp;
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => busySession(port, isImplicit)));
    const before = await its.held.measure();
    await Promise.all(sessions.map(({ socket }) => writeSingly(socket, "NOOP\r\n".repeat(SENT / 6))));
    const heldBytes = (await its.held.measure()) - before;
    printFigures("TLS records of one byte", { "held of a connection": Math.round(heldBytes / SESSIONS) });
    expect(heldBytes).toBeLessThan(allowedBytes(SENT, SESSIONS));
    // Control: the sessions are open.
    for (const { socket } of sessions) expect(socket.destroyed).toBe(false);
  });
});

/** A server that greets, waits for a request and then sends `answer`; it never ends the connection. */
async function startPeer({ greeting, answer, isTls }: { greeting: string; answer: Buffer; isTls: boolean }) {
  const sockets: Socket[] = [];
  const serve = (socket: Socket) => {
    sockets.push(keep(socket));
    if (greeting !== "") socket.write(greeting);
    socket.once("data", () => socket.write(answer));
  };
  const server: Server = isTls
    ? createTlsServer({ key: testKey, cert: testCertificate }, serve)
    : createServer({ noDelay: true }, serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => void server.close());
  return { port: (server.address() as { port: number }).port, sockets };
}

const okChunked = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;

describe("responses to our clients", () => {
  const peers: Record<Exclude<HeldClient, "smtp">, { type: string; isTls?: boolean }> = {
    policy: { type: "text/plain", isTls: true },
    import: { type: "application/json" },
    webhook: { type: "text/plain" },
    issuer: { type: "application/json" },
  };

  test.each(Object.keys(peers) as (keyof typeof peers)[])("%s", async (client) => {
    const { type, isTls = false } = peers[client];
    for (const [cut, body] of someCuts) {
      const answer = Buffer.concat([Buffer.from(okChunked(type)), body]);
      const { port, sockets } = await startPeer({ greeting: "", answer, isTls });
      const before = await its.held.measure();
      its.held.connect(client, port, CONNECTIONS);
      await vi.waitFor(() => expect(sockets).toHaveLength(CONNECTIONS), 20_000);
      const heldBytes = (await its.held.measure()) - before;
      printFigures(`${client}, ${cut}`, { "held of a connection": Math.round(heldBytes / CONNECTIONS) });
      expect([cut, heldBytes < allowedBytes(60_000, CONNECTIONS)]).toEqual([cut, true]);
    }
  });

  const replies: Record<string, string> = {
    "replies that nobody asked for": "250 a\r\n".repeat(10_000),
    "replies of many short lines": `${"250-ab\r\n".repeat(90)}250 ab\r\n`.repeat(100),
    "a line that never ends": "250-".padEnd(60_000, "x"),
    "lines of a reply that never ends": "250-ab\r\n".repeat(10_000),
  };

  test.each(Object.keys(replies))("a mail host: %s", async (what) => {
    const answer = Buffer.from(replies[what] as string);
    const { port, sockets } = await startPeer({ greeting: "220 mx.example\r\n", answer, isTls: false });
    const before = await its.held.measure();
    its.held.connect("smtp", port, CONNECTIONS);
    await vi.waitFor(() => expect(sockets).toHaveLength(CONNECTIONS), 20_000);
    const heldBytes = (await its.held.measure()) - before;
    printFigures(what, { "held of a connection": Math.round(heldBytes / CONNECTIONS) });
    expect(heldBytes).toBeLessThan(allowedBytes(answer.length, CONNECTIONS));
  });
});

test("the control socket: a request in single bytes", async () => {
  const path = join(its.held.dataDir, "kauke.sock");
  const before = await its.held.measure();
  const sockets = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = keep(connect(path));
      await once(socket, "connect");
      await writeSingly(socket, "x".repeat(4000));
      return socket;
    }),
  );
  expect((await its.held.measure()) - before).toBeLessThan(allowedBytes(4000, sockets.length));
});
