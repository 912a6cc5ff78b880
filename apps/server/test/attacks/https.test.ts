/** Attacks on the https listener: handshakes that never end, and what HTTP/2 alone makes possible. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { type AddressInfo, connect as connectNet } from "node:net";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import type { SocketRules } from "@kauke/server/http/socket-guard";
import { startTestServer, Visitor } from "@kauke/server/http/test/test-server";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { expect, test, vi } from "vitest";
import { Crowd, crowdAddresses } from "./scenes/crowd.testing.ts";

const closers = closeAfterEach();
const insecure = { rejectUnauthorized: false };
const context = createSecureContext({ cert: testCertificate, key: testKey });
/** More bytes than the kernel and an HTTP/2 window hold for a client that does not read. */
const large = Buffer.alloc(8 * 1024 * 1024, 0x20);

async function startHttps(rules: Partial<SocketRules> = {}, handshakeMs?: number) {
  const held = Promise.withResolvers<void>();
  let working = 0;
  const gauges = new Map<string, () => number>();
  const server = await startTestServer({
    tls: { context: () => context, ...(handshakeMs !== undefined && { handshakeMs }) },
    socketRules: rules,
    metrics: { count() {}, gauge: (name, read) => void gauges.set(name, read) },
    config: { publicUrl: new URL("https://localhost"), publicUrlGiven: true },
    extraRoutes: [
      (app) => {
        app.get("/api/working", async () => {
          working++;
          await held.promise;
          return { status: "done" };
        });
        app.get("/api/large", async (_, reply) => reply.send(large));
      },
    ],
  });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  closers.push(() => server.close(), held.resolve);
  return {
    port,
    server,
    letGo: held.resolve,
    working: () => working,
    sockets: () => gauges.get("kauke_http_sockets")?.(),
  };
}

interface Client {
  session: ClientHttp2Session;
  isOpen(): boolean;
}

async function open(port: number, localAddress = "127.1.0.1", initialWindowSize?: number): Promise<Client> {
  const createConnection = () =>
    connectTls({ socket: connectNet({ port, host: "127.0.0.1", localAddress }), ALPNProtocols: ["h2"], ...insecure });
  const settings = initialWindowSize === undefined ? {} : { initialWindowSize };
  const session = connectHttp2("https://localhost", { createConnection, settings, maxSessionMemory: 100 });
  session.on("error", () => {});
  closers.push(() => session.destroy());
  await new Promise((resolve) => session.once("connect", resolve));
  return { session, isOpen: () => !session.destroyed && !session.closed };
}

function request({ session }: Client, path: string, fields: Record<string, string> = {}, endStream = true) {
  const stream = session.request({ ":path": path, ...fields }, { endStream });
  stream.on("error", () => {});
  return stream;
}

const statusOf = (stream: ClientHttp2Stream): Promise<number> =>
  new Promise((resolve) => {
    stream.once("response", ({ ":status": status }) => resolve(Number(status)));
    stream.once("close", () => resolve(0));
    stream.resume();
  });

const health = async (port: number, address?: string) => statusOf(request(await open(port, address), "/healthz"));

test("sockets that never finish their handshake are closed in time, and do not keep others out", async () => {
  const { port, sockets } = await startHttps({}, 700);
  const crowd = await Crowd.gather({
    port,
    addresses: crowdAddresses(150, () => "127.1.0.1"),
    says: Buffer.from([22, 3]),
  });
  closers.push(() => crowd[Symbol.dispose]());
  await vi.waitFor(() => expect(crowd.open.length).toBeLessThanOrEqual(100));
  expect(await health(port, "127.2.0.1")).toBe(200);
  await vi.waitFor(() => expect(crowd.open).toEqual([]), 5000);
  await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(1));
});

test("a session that resets its streams one after another is closed (CVE-2023-44487)", async () => {
  const { port, working } = await startHttps();
  const client = await open(port);
  for (let sent = 0; sent < 1000 && client.isOpen(); sent++) {
    const stream = request(client, "/api/working");
    if (sent % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
  }
  await vi.waitFor(() => expect(client.isOpen()).toBe(false));
  expect(working()).toBeLessThan(200);
  expect(await health(port)).toBe(200);
});

test.each([
  ["PING", ({ session }: Client) => void session.ping(() => {})],
  ["SETTINGS", ({ session }: Client) => session.settings({ enablePush: false })],
])("a session that sends %s frames without end is closed", async (_, send) => {
  const { port } = await startHttps();
  const client = await open(port);
  for (let sent = 0; sent < 50; sent++) {
    for (let n = 0; n < 5 && client.isOpen(); n++) send(client);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await vi.waitFor(() => expect(client.isOpen()).toBe(false));
  expect(await health(port)).toBe(200);
});

/** A connection whose frames the test writes by itself. */
async function rawSession(port: number): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", ALPNProtocols: ["h2"], ...insecure });
  socket.on("error", () => {});
  socket.resume();
  closers.push(() => socket.destroy());
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]));
  return socket;
}

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const [DATA, HEADERS, RST_STREAM, GOAWAY, CONTINUATION] = [0, 1, 3, 7, 9];
const [END_STREAM, END_HEADERS] = [1, 4];
/** `:method: POST`, `:scheme: https`, `:authority: x` (RFC 7541); the path is to follow. */
const postHeader = Buffer.from([0x83, 0x87, 0x41, 0x01, 0x78]);
/** `:method: GET`, `:scheme: https`, `:authority: x`; the path is to follow. */
const getHeader = Buffer.from([0x82, 0x87, 0x41, 0x01, 0x78]);
/** A field without indexing, of less than 127 octets. */
const literal = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

test("a session has 32 streams at once, and one that opens many more is closed", async () => {
  const { port, working, letGo } = await startHttps();
  const socket = await rawSession(port);
  const refused: number[] = [];
  socket.on("data", (chunk: Buffer) => void refused.push(...framesOf(chunk).filter((type) => type === RST_STREAM)));
  const header = Buffer.concat([getHeader, literal(":path", "/api/working")]);
  const ask = (from: number, count: number) => {
    const ids = Array.from({ length: count }, (_, n) => 2 * (from + n) + 1);
    socket.write(Buffer.concat(ids.map((id) => frame(HEADERS, END_STREAM | END_HEADERS, id, header))));
  };
  ask(0, 60);
  await vi.waitFor(() => expect(working()).toBe(32));
  await vi.waitFor(() => expect(refused).toHaveLength(28));
  for (let from = 60; from < 1000 && !socket.destroyed; from += 40) {
    ask(from, 40);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
  expect(working()).toBe(32);
  letGo();
});

test("a packet with a thousand streams that are reset at once costs the event loop little", async () => {
  const { port } = await startHttps();
  const header = Buffer.concat([getHeader, literal(":path", "/api/working")]);
  const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
  const pairs = Array.from({ length: 1000 }, (_, n) => [
    frame(HEADERS, END_STREAM | END_HEADERS, 2 * n + 1, header),
    frame(RST_STREAM, 0, 2 * n + 1, cancel),
  ]);
  const packet = Buffer.concat(pairs.flat());
  const sockets = await Promise.all(Array.from({ length: 20 }, () => rawSession(port)));
  let created = 0;
  const count = () => void created++;
  subscribe("http2.server.stream.created", count);
  closers.push(() => unsubscribe("http2.server.stream.created", count));
  for (const socket of sockets) socket.write(packet);
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => !destroyed)).toEqual([]));
  expect(created / sockets.length).toBeLessThanOrEqual(110);
});

test("header blocks without end are cut off: many CONTINUATION frames, many fields, long ones, and one that stops", async () => {
  const { port, sockets } = await startHttps({ headersWithinMs: 500, sweepMs: 100 });
  const endless = await rawSession(port);
  endless.write(frame(HEADERS, 0, 1, Buffer.concat([postHeader, literal(":path", "/")])));
  for (let sent = 0; sent < 100; sent++) endless.write(frame(CONTINUATION, 0, 1, literal("x", "a".repeat(10))));
  await vi.waitFor(() => expect(endless.destroyed).toBe(true));
  const stopped = await rawSession(port);
  stopped.write(frame(HEADERS, 0, 1, Buffer.concat([postHeader, literal(":path", "/")])));
  await vi.waitFor(() => expect(stopped.destroyed).toBe(true), 3000);
  const client = await open(port);
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`x${n}`, ""]));
  const long = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`x${n}`, "a".repeat(3000)]));
  expect(await statusOf(request(client, "/healthz", many))).toBe(0);
  // Node resets the stream once the client has acknowledged the setting.
  for (const one of [client, await open(port)])
    expect([0, 431]).toContain(await statusOf(request(one, "/healthz", long)));
  expect(await health(port)).toBe(200);
  await vi.waitFor(() => expect(sockets()).toBeLessThan(5));
});

test("bodies in tiny frames and in empty ones end their stream or session", async () => {
  const { port } = await startHttps();
  for (const payload of [Buffer.from("x"), Buffer.alloc(0)]) {
    const socket = await rawSession(port);
    let closed = false;
    socket.on(
      "data",
      (chunk: Buffer) => void (closed ||= framesOf(chunk).some((type) => type === RST_STREAM || type === GOAWAY)),
    );
    socket.write(frame(HEADERS, END_HEADERS, 1, Buffer.concat([postHeader, literal(":path", "/")])));
    for (let sent = 0; sent < 30 && !closed && !socket.destroyed; sent++) {
      socket.write(Buffer.concat(Array.from({ length: 100 }, () => frame(DATA, 0, 1, payload))));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await vi.waitFor(() => expect(closed || socket.destroyed).toBe(true));
  }
});

/** @returns the types of the frames in bytes from the server that begin with one */
function framesOf(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes.readUInt8(at + 3));
  return types;
}

test("a body that the client cuts off is not acted on, whatever reason it gives", async () => {
  const { port, server } = await startHttps();
  const socket = await rawSession(port);
  const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants;
  for (const [at, code] of [NGHTTP2_NO_ERROR, NGHTTP2_CANCEL, null].entries()) {
    const account = { email: `cut${at}@example.org`, password: "correct horse" };
    const [id, body] = [2 * at + 1, Buffer.from(JSON.stringify(account))];
    const header = Buffer.concat([
      postHeader,
      literal(":path", "/api/auth/register"),
      literal("content-type", "application/json"),
    ]);
    // Waits between the frames, so that the handler has begun to read.
    socket.write(frame(HEADERS, END_HEADERS, id, header));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write(frame(DATA, code === null ? END_STREAM : 0, id, body));
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (code !== null) socket.write(frame(RST_STREAM, 0, id, Buffer.from([0, 0, 0, code])));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { status } = await new Visitor(server).call("login", { body: account });
    expect(status, String(code)).toBe(code === null ? 200 : 401);
  }
});

test("bodies that never end lose their stream, and the session serves other requests", async () => {
  const { port } = await startHttps({ requestWithinMs: 400, sweepMs: 100 });
  const client = await open(port);
  const fields = { ":method": "POST", "content-type": "application/json" };
  const slow = request(client, "/api/auth/login", fields, false);
  slow.write("{");
  expect(await statusOf(slow)).toBe(0);
  expect(slow.rstCode).toBe(constants.NGHTTP2_CANCEL);
  expect(await statusOf(request(client, "/healthz"))).toBe(200);
});

test("a session is closed when it is not used, and never while a handler works for it", async () => {
  const { port, sockets, working, letGo } = await startHttps({ headersWithinMs: 300, stalledMs: 300, sweepMs: 100 });
  const unused = await open(port);
  const busy = await open(port);
  const answer = statusOf(request(busy, "/api/working"));
  await vi.waitFor(() => expect(working()).toBe(1));
  await vi.waitFor(() => expect(unused.isOpen()).toBe(false));
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(busy.isOpen()).toBe(true);
  expect(sockets()).toBe(1);
  letGo();
  expect(await answer).toBe(200);
});

test("responses that nobody reads lose their stream, and beyond the bound of a network its largest sockets", async () => {
  const stalled = await startHttps({ stalledMs: 300 });
  const client = await open(stalled.port, "127.1.0.1", 0);
  const unread = request(client, "/api/large");
  unread.pause();
  await vi.waitFor(() => expect(unread.closed).toBe(true), 5000);
  const crowded = await startHttps({ maxUnreadBytesPerNetwork: 3 * large.length, sweepMs: 100 });
  const clients = await Promise.all(Array.from({ length: 6 }, () => open(crowded.port, "127.1.0.1", 0)));
  const other = await open(crowded.port, "127.2.0.1", 0);
  for (const one of [...clients, other]) request(one, "/api/large").pause();
  await vi.waitFor(() => expect(clients.filter((one) => one.isOpen()).length).toBeLessThanOrEqual(3), 5000);
  expect(clients.filter((one) => one.isOpen()).length).toBeGreaterThan(0);
  expect(other.isOpen()).toBe(true);
});

test("sockets count by network, and a full server closes the idle ones of the busiest", async () => {
  const small = { max: 40, maxPerNetwork: 20, maxPerBlock: 40, maxPerBlockWhenCrowded: 40 };
  const { port, sockets } = await startHttps(small);
  const quiet = await open(port, "127.2.0.1");
  expect(await statusOf(request(quiet, "/healthz"))).toBe(200);
  for (let came = 0; came < 50; came++) await open(port, `127.1.0.${1 + (came % 2)}`);
  expect(sockets()).toBeLessThanOrEqual(40);
  for (let came = 0; came < 5; came++) expect(await health(port, `127.${20 + came}.0.1`)).toBe(200);
  expect(quiet.isOpen()).toBe(true);
});

test("HTTP/1.1 over TLS has the bounds of plain HTTP: slow headers, and many requests in one packet", async () => {
  const { port, working } = await startHttps({ headersWithinMs: 300, checkedEveryMs: 100 });
  const say = async (text: string) => {
    const socket = connectTls({ port, host: "127.0.0.1", ALPNProtocols: ["http/1.1"], ...insecure });
    closers.push(() => socket.destroy());
    let heard = "";
    socket.on("error", () => {}).on("data", (chunk) => void (heard += chunk));
    socket.write(text);
    await new Promise((resolve) => socket.once("close", resolve));
    return heard;
  };
  expect(await say("GET / HTTP/1.1\r\nhost: x\r\nx-slow: ")).toMatch(/^HTTP\/1\.1 408 /);
  expect(await say("GET /api/working HTTP/1.1\r\nhost: x\r\n\r\n".repeat(300))).toBe("");
  expect(working()).toBeLessThanOrEqual(8);
});

test("a shutdown lets streams finish and tells clients to go", async () => {
  const { port, server, working, letGo } = await startHttps();
  const client = await open(port);
  const idle = await open(port);
  const answer = statusOf(request(client, "/api/working"));
  await vi.waitFor(() => expect(working()).toBe(1));
  const closed = server.app.close();
  await vi.waitFor(() => expect(idle.isOpen()).toBe(false));
  letGo();
  expect(await answer).toBe(200);
  const answered = performance.now();
  await closed;
  expect(performance.now() - answered).toBeLessThan(1500);
});
