import { type FastifyInstance, fastify, type InjectOptions } from "fastify";
import { describe, expect, test } from "vitest";
import { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import { previewAccess } from "./preview-access.ts";
import { attachmentDisposition, previewRoutes } from "./routes.ts";

const raw = Buffer.from(
  [
    "From: a@from.example",
    "Subject: hi",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/html",
    "",
    "<script>alert(1)</script><b>\u010dau</b>",
    "--b",
    "Content-Type: text/html",
    "Content-Disposition: attachment; filename*=UTF-8''evil%22%0d%0aX%3A%20y%2F..%2F%C4%8D.html",
    "",
    "<script>alert(2)</script>",
    "--b--",
    "",
  ].join("\r\n"),
);

const token = "t".repeat(43);

async function setUp(isOn = true) {
  const inbox = new PreviewInbox({ now: () => new Date() });
  inbox.add({ envelopeFrom: "a@from.example", rcptTo: "b@to.example", raw });
  const app: FastifyInstance = fastify();
  previewRoutes(app, isOn ? inbox : null, previewAccess(isOn ? token : null));
  await app.ready();
  const call = (url: string, options: InjectOptions = {}) =>
    app.inject({
      url: `/preview/api${url}`,
      ...options,
      headers: { host: "localhost:3000", "x-preview-token": token, ...options.headers },
    });
  const id = (await inbox.list())[0]?.id ?? "";
  return { inbox, call, id };
}

describe("/preview/api", () => {
  test("lists and shows messages", async () => {
    const { call, id } = await setUp();
    expect((await call("/messages")).json().messages).toMatchObject([{ id, subject: "hi", attachments: 1 }]);
    const one = await call(`/messages/${id}`);
    expect(one.json()).toMatchObject({ id, hasHtml: true, files: [{ index: 0, contentType: "text/html" }] });
    expect(one.headers["cache-control"]).toBe("no-store");
  });

  test("HTML has a policy that runs and loads nothing", async () => {
    const { call, id } = await setUp();
    const { headers, body } = await call(`/messages/${id}/html`);
    expect(headers["content-security-policy"]).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'",
    );
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    // For the dark theme only a style sheet of ours comes before the same content.
    const dark = await call(`/messages/${id}/html?dark`);
    expect(dark.headers["content-security-policy"]).toBe(headers["content-security-policy"]);
    expect(dark.body).toBe(`<style>img,picture,video{filter:invert(1) hue-rotate(180deg)}</style>${body}`);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(body).toContain("čau");
  });

  test("the raw message is shown as text or downloaded, its bytes unchanged", async () => {
    const { call, id } = await setUp();
    const shown = await call(`/messages/${id}/raw`);
    expect(shown.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(shown.rawPayload.equals(raw)).toBe(true);
    const saved = await call(`/messages/${id}/raw?download`);
    expect(saved.headers["content-disposition"]).toContain('filename="message.eml"');
    expect(saved.headers["content-type"]).toBe("application/octet-stream");
    expect(saved.rawPayload.equals(raw)).toBe(true);
  });

  test("an attachment is downloaded as plain bytes, whatever content type its sender gave it", async () => {
    const { call, id } = await setUp();
    const file = await call(`/messages/${id}/files/0`);
    expect(file.headers["content-type"]).toBe("application/octet-stream");
    expect(file.headers["content-disposition"]).toMatch(
      /^attachment; filename="evil_[^"\r\n]*\.html"; filename\*=UTF-8''evil[^/"\s]*%C4%8D\.html$/,
    );
    expect(file.headers.x).toBeUndefined();
    expect(file.body.trim()).toBe("<script>alert(2)</script>");
  });

  test("empties the inbox", async () => {
    const { call, inbox } = await setUp();
    expect((await call("/messages", { method: "DELETE" })).statusCode).toBe(200);
    expect(await inbox.list()).toEqual([]);
  });

  test.each([
    "/messages/none",
    "/messages/none/html",
    "/messages/none/raw",
    "/messages/none/files/0",
    "/messages/{id}/files/9",
    "/messages/{id}/files/-1",
    "/messages/{id}/files/x",
  ])("%s is not found", async (url) => {
    const { call, id } = await setUp();
    const answer = await call(url.replace("{id}", id));
    expect([answer.statusCode, answer.json()]).toEqual([404, { message: "Not found", code: "not_found" }]);
  });
});

describe("access to the preview inbox", () => {
  const paths = ["/messages", "/messages/{id}", "/messages/{id}/html", "/messages/{id}/raw", "/messages/{id}/files/0"];

  test.each<[string, InjectOptions]>([
    ["another machine", { remoteAddress: "192.0.2.1" }],
    ["another machine over IPv6", { remoteAddress: "2001:db8::1" }],
    ["a proxy that says so", { headers: { host: "localhost", "x-forwarded-for": "192.0.2.1" } }],
    ["a proxy that says so with an empty word", { headers: { host: "localhost", forwarded: "" } }],
    ["a proxy with X-Real-IP", { headers: { host: "localhost", "x-real-ip": "127.0.0.1" } }],
    ["a foreign page that points its name here", { headers: { host: "attacker.example" } }],
    ["this machine without the token", { headers: { "x-preview-token": "" } }],
    ["this machine with another token", { headers: { "x-preview-token": "u".repeat(43) } }],
  ])("refuses %s with a 404, and does not empty the inbox", async (_, options) => {
    const { call, id, inbox } = await setUp();
    for (const path of paths) {
      const answer = await call(path.replace("{id}", id), options);
      expect([answer.statusCode, answer.json()]).toEqual([404, { message: "Not found", code: "not_found" }]);
    }
    expect((await call("/messages", { ...options, method: "DELETE" })).statusCode).toBe(404);
    expect(await inbox.list()).toHaveLength(1);
  });

  test("refuses everybody outside preview mode", async () => {
    const { call } = await setUp(false);
    expect((await call("/messages")).json()).toEqual({ message: "Not found", code: "not_found" });
    expect((await call("/messages", { method: "DELETE" })).statusCode).toBe(404);
  });

  test("accepts this machine by any of its names", () => {
    const access = previewAccess(token);
    const isAllowed = (host: string, remoteAddress: string | undefined) =>
      access.stateOf({ headers: { host, "x-preview-token": token }, socket: { remoteAddress } }) === "open";
    for (const host of ["localhost", "localhost:3000", "127.0.0.1:3000", "[::1]:3000", "app.localhost:3000"])
      expect([host, isAllowed(host, "127.0.0.1")]).toEqual([host, true]);
    for (const address of ["::1", "::ffff:127.0.0.1", "127.0.0.53"]) expect(isAllowed("localhost", address)).toBe(true);
    for (const host of ["mail.lan:3000", "", "localhost.attacker.example", "127.0.0.1.attacker.example", "xlocalhost"])
      expect([host, isAllowed(host, "127.0.0.1")]).toEqual([host, false]);
    for (const address of [undefined, "", "::ffff:192.0.2.1", "128.0.0.1", "1127.0.0.1"])
      expect(isAllowed("localhost", address)).toBe(false);
  });
});

test("a file name cannot break out of its header field", () => {
  for (const name of [
    "a\r\nX: y",
    'a"b',
    "../../etc/passwd",
    "\ud800.txt",
    "\u202egpj.exe",
    "č".repeat(500),
    "100%.txt",
    "",
  ]) {
    const header = attachmentDisposition(name);
    expect(header).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9%!*.~_-]*$/);
    expect(header.match(/"/g)).toHaveLength(2);
  }
  expect(attachmentDisposition("naïve.txt")).toBe(
    "attachment; filename=\"na_ve.txt\"; filename*=UTF-8''na%C3%AFve.txt",
  );
});
