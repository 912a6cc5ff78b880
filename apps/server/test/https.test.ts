/** The web app's own https listener, with real clients. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import { type AddressInfo, connect } from "node:net";
import {
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type SecureVersion,
  type TLSSocket,
} from "node:tls";
import { promisify } from "node:util";
import { startTestServer } from "@kauke/server/http/test/test-server";
import { makeSelfSigned } from "@kauke/server/platform/self-signed";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { afterAll, beforeAll, expect, test } from "vitest";

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem({ env: { KAUKE_HTTPS: "on", KAUKE_HTTPS_PORT: "0" } });
});
afterAll(() => system.close());

const insecure = { rejectUnauthorized: false };

interface Heard {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** One request by HTTP/2. */
async function ask2(path: string, fields: Record<string, string> = {}, body?: string): Promise<Heard> {
  const session = connectHttp2(`https://localhost:${system.httpsPort}`, insecure);
  try {
    const stream = session.request({ ":path": path, ...fields }, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    let headers: Record<string, unknown> = {};
    stream.on("response", (all) => void (headers = all));
    let text = "";
    for await (const chunk of stream) text += chunk;
    return { status: Number(headers[":status"]), headers, text };
  } finally {
    session.close();
  }
}

function ask1(path: string): Promise<Heard & { version: string }> {
  return new Promise((resolve, reject) => {
    const request = requestHttps({ host: "localhost", port: system.httpsPort, path, ...insecure }, (response) => {
      let text = "";
      response.on("data", (chunk) => void (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, version: response.httpVersion }),
      );
    });
    request.on("error", reject).end();
  });
}

test("the web app is served by HTTP/2, and by HTTP/1.1 to clients without it", async () => {
  const two = await ask2("/api/domains");
  expect(two).toMatchObject({ status: 200, headers: { "strict-transport-security": "max-age=31536000" } });
  const one = await ask1("/api/domains");
  expect(one).toMatchObject({ status: 200, version: "1.1" });
  expect(JSON.parse(one.text)).toEqual(JSON.parse(two.text));
});

test("a person registers and calls by HTTP/2", async () => {
  const json = { "content-type": "application/json", ":method": "POST" };
  const account = JSON.stringify({ email: "ann@example.org", password: "correct horse" });
  const { status, headers } = await ask2("/api/auth/register", json, account);
  expect(status).toBe(201);
  const cookie = [headers["set-cookie"]]
    .flat()
    .map((one) => String(one).split(";")[0])
    .join("; ");
  expect(cookie).toContain("__Host-sid=");
  expect(await ask2("/api/auth/session", { cookie })).toMatchObject({ status: 200 });
  expect(await ask2("/api/auth/session", { cookie, authorization: "Bearer nonsense" })).toMatchObject({ status: 401 });
});

test("the event stream goes on by HTTP/2, beside other requests of the session, and ends at a reset", async () => {
  const json = { "content-type": "application/json", ":method": "POST" };
  const account = JSON.stringify({ email: "live@example.org", password: "correct horse" });
  const { headers, text } = await ask2("/api/auth/register", json, account);
  const cookie = [headers["set-cookie"]]
    .flat()
    .map((one) => String(one).split(";")[0])
    .join("; ");
  const session = connectHttp2(`https://localhost:${system.httpsPort}`, insecure);
  const stream = session.request({ ":path": "/api/events", cookie });
  let events = "";
  stream.setEncoding("utf8").on("data", (chunk) => void (events += chunk));
  const [head] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(head).toMatchObject({ ":status": 200, "content-type": "text/event-stream; charset=utf-8" });
  const body = JSON.stringify({ alias: "told-by-two", domain: "kauke.test", forwardTo: "ann@example.net" });
  const userId = JSON.parse(text).user.id;
  const made = session.request({ ":path": `/api/aliases/${userId}`, ...json, cookie });
  made.end(body);
  const [answer] = (await once(made, "response")) as [Record<string, unknown>];
  expect(answer).toMatchObject({ ":status": 201 });
  await expect.poll(() => events, { timeout: 2000 }).toContain("aliases");
  expect(stream.closed).toBe(false);
  stream.close();
  await once(stream, "close");
  session.close();
});

test("a client that uploads too much or without a session reads why", async () => {
  const json = { ":method": "POST", "content-type": "application/json" };
  const body = JSON.stringify({ email: "ann@example.org", password: "x".repeat(1_000_000) });
  expect(await ask2("/api/auth/register", json, body)).toMatchObject({ status: 413 });
  expect(await ask2("/api/email-jobs", json, body)).toMatchObject({ status: 401 });
});

test("curl speaks HTTP/2 with it", async () => {
  const url = `https://localhost:${system.httpsPort}/healthz`;
  const { stdout } = await promisify(execFile)("curl", ["-sk", "--http2", "-w", "%{http_version}", url]);
  expect(stdout).toBe('{"status":"ok"}2');
});

function handshake(maxVersion: SecureVersion): Promise<TLSSocket | string> {
  return new Promise((resolve) => {
    const socket = connectTls({
      port: system.httpsPort,
      minVersion: "TLSv1",
      maxVersion,
      ciphers: "DEFAULT:@SECLEVEL=0",
      ...insecure,
    });
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(code));
  });
}

test("TLS 1.2 and newer are accepted, older versions are not", async () => {
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const socket = await handshake(version);
    if (typeof socket === "string") throw new Error(socket);
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  }
  expect(await handshake("TLSv1.1")).toContain("ALERT_PROTOCOL_VERSION");
});

test("a session is resumed with the ticket of the one before", async () => {
  const open = (session?: Buffer) =>
    connectTls({ port: system.httpsPort, servername: "localhost", ...(session && { session }), ...insecure });
  const first = open();
  first.resume();
  const [ticket] = (await once(first, "session")) as [Buffer];
  expect(first.isSessionReused()).toBe(false);
  const second = open(ticket);
  await once(second, "secureConnect");
  expect(second.isSessionReused()).toBe(true);
  for (const socket of [first, second]) socket.destroy();
});

test("the self-signed certificate covers the name of the web app", async () => {
  const socket = await handshake("TLSv1.3");
  if (typeof socket === "string") throw new Error(socket);
  expect(socket.getPeerX509Certificate()?.checkHost("localhost")).toBe("localhost");
  socket.destroy();
});

test("a client gets the certificate of the name that it asks for", async () => {
  const made = { notBefore: new Date(0), notAfter: new Date("2100-01-01") };
  const hosts = ["kauke.example", "mta-sts.kauke.example"];
  const contexts = new Map(
    hosts.map((host) => [host, createSecureContext(makeSelfSigned({ commonName: host, hosts: [host], ...made }))]),
  );
  const context = (name = "kauke.example"): SecureContext => contexts.get(name) ?? context();
  const server = await startTestServer({ tls: { context } });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const subjectAt = (servername: string) =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port, servername, ...insecure }, () => {
        resolve(socket.getPeerX509Certificate()?.subjectAltName);
        socket.destroy();
      });
      socket.once("error", reject);
    });
  for (const host of hosts) expect(await subjectAt(host)).toBe(`DNS:${host}`);
  expect(await subjectAt("other.example")).toBe("DNS:kauke.example");
  await server.close();
});

test("a trusted proxy is offered HTTP/1.1, so that its sockets count for their clients", async () => {
  const tls = { context: () => createSecureContext({ cert: testCertificate, key: testKey }) };
  const server = await startTestServer({ tls, config: { trustedProxies: ["127.1.0.1"] } });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const protocolFor = async (localAddress: string) => {
    const plain = connect({ port, host: "127.0.0.1", localAddress });
    const socket = connectTls({ socket: plain, ALPNProtocols: ["h2", "http/1.1"], ...insecure });
    await once(socket, "secureConnect");
    socket.destroy();
    return socket.alpnProtocol;
  };
  expect([await protocolFor("127.1.0.1"), await protocolFor("127.2.0.1")]).toEqual(["http/1.1", "h2"]);
  await server.close();
});

test("the http port redirects to the same path at the public origin, whatever name the client asked for", async () => {
  for (const path of ["/", "/dashboard?a=%20b", "//evil.example/x", "/api/auth/login"]) {
    const response = await fetch(`${system.url}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { host: "evil.example" },
    });
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe(`https://localhost:${system.httpsPort}${path}`);
  }
  expect(await (await fetch(`${system.url}/healthz`)).json()).toEqual({ status: "ok" });
  expect((await fetch(`${system.url}/.well-known/acme-challenge/unknown`)).status).toBe(404);
});
