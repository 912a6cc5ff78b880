/**
 * Attacks on the preview inbox, which shows everybody's mail, password resets included: through a reverse proxy that
 * hides its clients, by DNS rebinding, by guessing the token, and from other sites in a browser that may open it.
 */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const subject = "Your password reset link";
let server: TestSystem;
let httpPort: number;
let webRoot: string;
let token: string;
let messageId: string;
let traceId: string;

beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), "kauke-preview-web-"));
  await mkdir(join(webRoot, "pages"));
  await writeFile(join(webRoot, "index.html"), "<head></head>the app");
  await writeFile(join(webRoot, "pages/preview-locked.html"), "<head></head>which link to open");
  server = await startPreview();
  httpPort = server.server.ports.http as number;
  token = server.previewToken as string;
  const person = await registerPerson(server.url);
  const { alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const message = `From: ann@example.org\r\nSubject: ${subject}\r\nContent-Type: text/html\r\n\r\n<p>${subject}</p>\r\n`;
  const { last } = await sendMail({ port: server.mxPort, to: `${alias}@${domain}`, message });
  traceId = last.replace("250 2.0.0 Ok ", "");
  const answer = await ask("/preview/api/messages", { "x-preview-token": token });
  messageId = (JSON.parse(answer.body) as { messages: { id: string }[] }).messages[0]?.id ?? "";
}, 60_000);

afterAll(async () => {
  await server.close();
  await removeDataDirs();
  await rm(webRoot, { recursive: true });
});

const startPreview = (env: Record<string, string> = {}) =>
  startSystem({ env: { KAUKE_DELIVERY: "preview", KAUKE_LIMITS: "off", ...env }, overrides: { webRoot } });

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends an HTTP request. @param port port of the server, or of a proxy in front of it */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { port = httpPort, method = "GET" } = {},
): Promise<Answer> {
  const named = { host: `127.0.0.1:${port}`, ...headers };
  const sent = request({ host: "127.0.0.1", port, path, method, headers: named });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = Buffer.concat(await answer.toArray()).toString();
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

/** Every request that shows something of the inbox or changes it. */
const calls = () =>
  [
    ["GET", "/preview"],
    ["GET", "/Preview/"],
    ["GET", "/preview?message=1"],
    ["GET", "/preview/api/messages"],
    ["GET", `/preview/api/messages/${messageId}`],
    ["GET", `/preview/api/messages/${messageId}/html`],
    ["GET", `/preview/api/messages/${messageId}/raw`],
    ["GET", `/preview/api/messages/${messageId}/raw?download`],
    ["GET", `/preview/api/messages/${messageId}/files/0`],
    ["GET", `/preview/api/traces/${traceId}`],
    ["HEAD", `/preview/api/messages/${messageId}/raw`],
    ["DELETE", "/preview/api/messages"],
    ["POST", `/preview/api/messages/${messageId}/reply`],
  ] as const;

/** Fails if any request shows something: only the page that says which link to open may answer, with 403. */
async function expectNothingShown(headers: Record<string, string>, port = httpPort): Promise<number[]> {
  const pages: number[] = [];
  for (const [method, path] of calls()) {
    const answer = await ask(path, headers, { port, method });
    expect([path, answer.body.includes(subject)]).toEqual([path, false]);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    if (path.toLowerCase().startsWith("/preview/api"))
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    else pages.push(answer.status);
  }
  expect(await messagesLeft()).toBe(1);
  return pages;
}

async function messagesLeft(): Promise<number> {
  const { body } = await ask("/preview/api/messages", { "x-preview-token": token });
  return (JSON.parse(body) as { messages: unknown[] }).messages.length;
}

/**
 * A reverse proxy that forwards every request under the host name the server knows itself by, without a header that
 * names the client.
 */
async function startSilentProxy(added: Record<string, string> = {}): Promise<number> {
  const proxy: Server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${httpPort}`, ...added };
    const { method, url: path } = incoming;
    const passed = request({ host: "127.0.0.1", port: httpPort, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

/** Opens the link that the server prints at its start. @returns the cookie that the browser keeps */
async function openLink(): Promise<string> {
  const answer = await ask(`/preview?token=${token}`);
  return String(answer.headers["set-cookie"]).split(";", 1)[0] as string;
}

test("the link that the start prints opens the inbox", async () => {
  const started = await startServerProcess();
  onTestFinished(() => started.kill());
  const { httpPort: port } = started;
  const link = new RegExp(`http://localhost:${port}(/preview\\?token=[A-Za-z0-9_-]{43})\n`).exec(started.output());
  const answer = await ask(link?.[1] ?? "", {}, { port });
  const cookie = String(answer.headers["set-cookie"]).split(";", 1)[0] as string;
  expect((await ask("/preview/api/messages", { cookie }, { port })).status).toBe(200);
  expect((await ask("/preview/api/messages", {}, { port })).status).toBe(404);
});

test("a browser keeps a cookie from the link, a tool sends the token in a header field", async () => {
  const answer = await ask(`/preview?token=${token}`);
  expect([answer.status, answer.headers.location]).toEqual([303, "/preview"]);
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  const [cookie = ""] = answer.headers["set-cookie"] as string[];
  expect(cookie).toMatch(
    new RegExp(`^kauke-preview-${httpPort}=[A-Za-z0-9_-]{43}; Path=/preview; HttpOnly; SameSite=Strict$`),
  );
  const headers = { cookie: cookie.split(";", 1)[0] as string };
  expect((await ask("/preview", headers)).status).toBe(200);
  for (const shown of [headers, { "x-preview-token": token }]) {
    for (const path of [`/${messageId}`, `/${messageId}/html`, `/${messageId}/raw`])
      expect((await ask(`/preview/api/messages${path}`, shown)).body).toContain(subject);
    expect((await ask(`/preview/api/traces/${traceId}`, shown)).status).toBe(200);
  }
});

test("through a proxy that hides its clients no mail is shown, only the page that says which link to open", async () => {
  const port = await startSilentProxy();
  expect(await expectNothingShown({}, port)).toEqual([403, 303, 403]);
  const page = await ask("/preview", {}, { port });
  expect(page.headers["cache-control"]).toBe("no-store");
  expect(page.body).not.toContain(token);
});

test("through a proxy that names its clients nothing is found, even with the right token", async () => {
  const port = await startSilentProxy({ "x-forwarded-for": "192.0.2.1" });
  expect(await expectNothingShown({}, port)).toEqual([404, 404, 404]);
  const headers = { "x-preview-token": token, cookie: await openLink() };
  expect(await expectNothingShown(headers, port)).toEqual([404, 404, 404]);
});

test("under a foreign host name that resolves to this machine nothing is found, even with the right token", async () => {
  for (const host of ["attacker.example", `attacker.example:${httpPort}`, "127.0.0.1.attacker.example"])
    expect(await expectNothingShown({ host, "x-preview-token": token })).toEqual([404, 404, 404]);
});

test("a guessed token, a part of it, and tokens of other installations open nothing", async () => {
  const cookieName = `kauke-preview-${httpPort}`;
  const guesses = [
    "",
    " ",
    token.slice(0, -1),
    `${token}A`,
    token.toLowerCase(),
    "A".repeat(43),
    "\u010d".repeat(43),
    "%00",
  ];
  for (const guess of guesses) {
    const encoded = encodeURIComponent(guess);
    const pages = await expectNothingShown({ "x-preview-token": encoded, cookie: `${cookieName}=${encoded}` });
    expect(pages).toEqual([403, 303, 403]);
    const link = await ask(`/preview?token=${encoded}`);
    expect([link.status, link.headers.location, link.headers["set-cookie"]]).toEqual([303, "/preview", undefined]);
  }
  // Neither the cookie of a server on another port nor a link with two tokens gives access to the preview inbox.
  await expectNothingShown({ cookie: `kauke-preview-${httpPort + 1}=${token}` });
  expect((await ask(`/preview?token=${token}&token=x`)).headers["set-cookie"]).toBeUndefined();
});

test("a page of another site gets no cookie into this browser, even if it knew the link, and changes nothing", async () => {
  for (const site of ["cross-site", "same-site"]) {
    const from = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", origin: "https://attacker.example" };
    const answer = await ask(`/preview?token=${token}`, from);
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([303, undefined]);
    // Browsers send no SameSite=Strict cookie with cross-site requests; if an outdated browser does, writes are still
    // refused.
    const headers = { ...from, cookie: await openLink() };
    expect((await ask("/preview/api/messages", headers, { method: "DELETE" })).status).toBe(403);
    expect(await messagesLeft()).toBe(1);
  }
  const { headers } = await ask("/preview/api/messages", {
    origin: "https://attacker.example",
    "x-preview-token": token,
  });
  expect(headers["access-control-allow-origin"]).toBeUndefined();
});

test("the token is in a file readable by its owner alone, stays the same over a restart, and a file readable by others is replaced", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-preview-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const path = join(dataDir, "preview.token");
  const tokenOf = async () => {
    const system = await startPreview({ KAUKE_DATA_DIR: dataDir });
    await system.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, "utf8")).trim()).toBe(system.previewToken);
    return system.previewToken;
  };
  const first = await tokenOf();
  expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await tokenOf()).toBe(first);
  await rm(path);
  await writeFile(path, `${first}\n`, { mode: 0o644 });
  const second = await tokenOf();
  expect(second).not.toBe(first);
  await writeFile(path, "short\n");
  expect(await tokenOf()).not.toBe("short");
});

const publicUrls: readonly (readonly [url: string, isThere: boolean])[] = [
  ["https://kauke.example", false],
  ["http://localhost.attacker.example", false],
  ["http://localhost:8080", true],
  ["http://192.0.2.1:3000", false],
  ["http://127.0.0.1:8080", true],
  ["http://app.localhost", true],
  ["http://[::1]:3000", true],
];

test.each(publicUrls.slice(0, isLongRun ? publicUrls.length : 3))(
  "with KAUKE_PUBLIC_URL=%s the inbox is available: %s",
  async (url, isThere) => {
    const system = await startPreview({ KAUKE_PUBLIC_URL: url });
    onTestFinished(() => system.close());
    const headers = system.previewToken === null ? {} : { "x-preview-token": system.previewToken };
    const answer = await fetch(`${system.url}/preview/api/messages`, { headers });
    expect([answer.status, system.previewToken !== null]).toEqual([isThere ? 200 : 404, isThere]);
    expect((await fetch(`${system.url}/preview`)).status).toBe(isThere ? 403 : 404);
  },
);

test("without preview delivery there is no token and no page", async () => {
  const system = await startSystem({ env: { KAUKE_RELAY_URL: "smtp://127.0.0.1:1" }, overrides: { webRoot } });
  onTestFinished(() => system.close());
  expect(system.previewToken).toBeNull();
  for (const path of ["/preview", "/preview/api/messages", "/preview?token=x"]) {
    const answer = await fetch(`${system.url}${path}`, { redirect: "manual", headers: { "x-preview-token": "x" } });
    expect([path, answer.status]).toEqual([path, 404]);
  }
});
