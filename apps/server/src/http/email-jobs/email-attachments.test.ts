import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { unstuff } from "@kauke/mail-rfc";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SpoolSpace } from "../../core/spool/spool-space.ts";
import { type Reply, startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

const MIB = 1024 * 1024;
let server: TestServer;
let ann: Visitor;
let aliasId: string;

beforeEach(async () => {
  server = await startTestServer({ config: { maxMessageBytes: MIB, undoSeconds: 0 } });
  ann = await new Visitor(server).register("ann@people.example");
  aliasId = await senderOf(ann);
});
afterEach(() => server.close());

async function senderOf(visitor: Visitor): Promise<string> {
  const { id } = await visitor.createAlias({ forwardTo: "ann.real@inbox.example" });
  expect((await visitor.call("createSmtpCredential", { body: { aliasId: id } })).status).toBe(201);
  return id;
}

function upload(file: string | Buffer, visitor = ann, headers: Record<string, string> = {}): Promise<Reply> {
  const type = { "content-type": "application/octet-stream" };
  const payload = Buffer.from(file);
  return visitor.send({ method: "POST", url: "/api/email-attachments", payload, headers: { ...type, ...headers } });
}

async function attach(file: string | Buffer, visitor = ann): Promise<string> {
  const { status, body } = await upload(file, visitor);
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.sizeBytes).toBe(Buffer.from(file).length);
  return body.attachmentId;
}

const compose = (attachments: unknown, change: Record<string, unknown> = {}, visitor = ann) =>
  visitor.call("createEmailJob", {
    body: { to: "rasa@example.org", subject: "Files", body: "Labas", fromAliasId: aliasId, attachments, ...change },
  });
const remove = (attachmentId: string, visitor = ann) =>
  visitor.call("deleteEmailAttachment", { params: { attachmentId } });

async function sentMessage() {
  const { deliveries } = await server.store.deliveries.claim({ now: server.clock.now(), leaseMs: 1000, limit: 10 });
  const wire = await server.store.bodies.get(deliveries.at(-1)?.messageId ?? "");
  if (wire === null) throw new Error("no message was queued");
  expect(deliveries.at(-1)?.sizeBytes).toBe(wire.length);
  return await PostalMime.parse(unstuff(wire));
}

describe("a message with attachments", () => {
  it("has the files as its parts, with name and type, and takes them out of the store", async () => {
    const files = [Buffer.alloc(300_000, "žą"), Buffer.from(""), Buffer.from("\n.\nline")];
    const ids = [];
    for (const file of files) ids.push(await attach(file));
    const names = ["ataskaita ąčę.pdf", "../empty.txt", "a.bin"];
    const attachments = ids.map((id, at) => ({
      id,
      name: names[at],
      type: at === 0 ? "application/pdf" : "text/html\r\nX: y",
    }));
    expect((await compose(attachments)).status).toBe(201);
    const { text, attachments: parts } = await sentMessage();
    expect(text).toBe("Labas\n");
    expect(
      parts.map(({ filename, mimeType, content }) => [filename, mimeType, Buffer.from(content as ArrayBuffer)]),
    ).toEqual([
      ["ataskaita ąčę.pdf", "application/pdf", files[0]],
      ["empty.txt", "application/octet-stream", files[1]],
      ["a.bin", "application/octet-stream", files[2]],
    ]);
    for (const id of ids) expect((await remove(id)).status).toBe(404);
    expect((await compose(attachments)).body.errors.attachments).toEqual([
      "An attachment is no longer on the server. Please attach the file again",
    ]);
  });

  it("may not take a file of another account, which can't delete it either", async () => {
    const eve = await new Visitor(server).register();
    const id = await attach("mine");
    const fromAliasId = await senderOf(eve);
    const refused = await compose([{ id, name: "a" }], { fromAliasId }, eve);
    expect(refused.body.errors).toEqual({
      attachments: ["An attachment is no longer on the server. Please attach the file again"],
    });
    expect((await remove(id, eve)).status).toBe(404);
    expect((await upload("x", new Visitor(server))).status).toBe(401);
    expect((await remove("../../x")).status).toBe(404);
    expect((await remove(id)).status).toBe(200);
    expect(await server.store.bodies.get(id)).toBeNull();
  });

  it.each([
    [[{ id: "x", name: "a" }], "Each attachment needs the id of its upload and a name"],
    [[{ name: "a" }], "Each attachment needs the id of its upload and a name"],
    [[7], "Each attachment needs the id of its upload and a name"],
    ["x", "Each attachment needs the id of its upload and a name"],
    [[{ id: crypto.randomUUID(), name: "x".repeat(5000) }], "A file name can have 255 characters at most"],
    [[{ id: crypto.randomUUID(), name: "a", type: 7 }], "Each attachment needs the id of its upload and a name"],
    [Array(21).fill({ id: crypto.randomUUID(), name: "a" }), "A message can have 20 attachments at most"],
  ])("with the attachments %j is refused", async (attachments, message) => {
    expect(await compose(attachments)).toMatchObject({ status: 400, body: { errors: { attachments: [message] } } });
  });

  it("is not sent larger than the server allows", async () => {
    const id = await attach(Buffer.alloc(500_000));
    const two = [1, 2].map((at) => ({ id, name: `${at}.bin` }));
    expect(await compose(two)).toMatchObject({
      status: 413,
      body: { code: "message_too_large", errors: { attachments: [expect.stringContaining("too large")] } },
    });
    expect((await compose(two.slice(1))).status).toBe(201);
  });

  it.each([
    ["a name", "cv of ann.real@inbox.example.txt", "nothing"],
    ["a text", "cv.txt", "write to ann.real@inbox.example"],
    ["base64 in a file", "cv.bin", Buffer.from("write to ann.real@inbox.example").toString("base64")],
  ])("with the alias' mailbox in %s is refused, and the error names the file", async (_, name, content) => {
    const attachments = [
      { id: await attach("harmless"), name: "first.txt" },
      { id: await attach(content), name },
    ];
    const refused = await compose(attachments);
    expect(refused.status).toBe(400);
    expect(refused.body.errors.attachments[0]).toMatch(/: This attachment holds the address this alias forwards to\./);
    expect(refused.body.errors.attachments[0].startsWith(name.slice(0, 2))).toBe(true);
    expect((await compose(attachments.slice(0, 1), { to: "ann.real@inbox.example" })).status).toBe(201);
    await ann.call("changeAccountSettings", { body: { leakGuard: false } });
    expect((await compose(attachments.slice(1))).status).toBe(201);
  });

  it("is not encrypted by the server, so files in the clear are refused with encryption on", async () => {
    const encryption = {
      useEncryption: true,
      recipientPublicKey: "age1pdt7t8j69hqwyjc4kzwjknlx5dct40autmwftgrsnfm5jearwv4snj9avt",
    };
    const clear = await compose([{ id: await attach("clear"), name: "a.txt" }], encryption);
    expect(clear.body.errors).toEqual({
      attachments: ["a.txt: With encryption on, each attachment must be encrypted, too"],
    });
    const file = [{ id: await attach("age-encryption.org/v1\n-> X25519 x"), name: "a.txt.age" }];
    expect((await compose(file, encryption)).status).toBe(201);
  });
});

describe("an upload", () => {
  it("above the largest message is refused by its length, or as it arrives, and leaves nothing", async () => {
    const large = Buffer.alloc(MIB);
    expect(await upload(large)).toMatchObject({ status: 413, body: { code: "too_large" } });
    const { port } = await listen();
    const chunked = await sendRaw(port, { chunks: 5, chunk: Buffer.alloc(MIB / 4) });
    expect(chunked).toBe(413);
    expect(await server.store.emailAttachments.held(ann.userId)).toMatchObject({ count: 0, bytes: 0 });
  });

  it("that is cut off leaves nothing", async () => {
    const { port } = await listen();
    await sendRaw(port, { chunks: 2, chunk: Buffer.alloc(70_000), announced: 500_000, isCut: true });
    await vi.waitFor(async () => {
      expect(await server.store.emailAttachments.held(ann.userId)).toMatchObject({ count: 0, allBytes: 0 });
      expect(await server.store.bodies.sweep(async () => false, -1000)).toBe(0);
    });
    expect((await upload("next")).status).toBe(201);
  });

  it("of another content type is refused", async () => {
    expect((await upload("{}", ann, { "content-type": "application/json" })).status).toBe(415);
  });

  it("beyond the account's share is refused, until a file is deleted; another account goes on", async () => {
    const ids = [];
    for (let at = 0; at < 5; at += 1) ids.push(await attach(Buffer.alloc(700_000)));
    expect(await upload(Buffer.alloc(700_000))).toMatchObject({ status: 409, body: { code: "spool_quota" } });
    const other = await new Visitor(server).register();
    await attach("small", other);
    await remove(ids[0] as string);
    await attach(Buffer.alloc(100_000));
  });

  it("counts in the account's share of the spool", async () => {
    await server.close();
    server = await startTestServer({ config: { maxMessageBytes: MIB } });
    const spoolSpace = new SpoolSpace({
      ...server.store,
      accountMaxBytes: 1000,
      disk: null,
      now: () => performance.now(),
    });
    await server.app.close();
    const store = server.store;
    const small = await startTestServer({ store, spoolSpace, config: { maxMessageBytes: MIB } });
    const visitor = await new Visitor(small).register();
    expect((await upload(Buffer.alloc(5000), visitor)).status).toBe(409);
    await small.close();
  });

  it("that no message takes is deleted after a day, and with its account at once", async () => {
    const [old, mine] = [await attach("old"), await attach("mine")];
    const other = await new Visitor(server).register();
    await attach("theirs", other);
    server.clock.advance(23 * 3600);
    await server.store.maintenance();
    expect(await server.store.bodies.get(old)).not.toBeNull();
    await server.store.users.delete(other.userId);
    expect((await server.store.emailAttachments.held(ann.userId)).accounts).toBe(1);
    server.clock.advance(2 * 3600);
    await server.store.maintenance();
    for (const id of [old, mine]) expect(await server.store.bodies.get(id)).toBeNull();
  });
});

async function listen(): Promise<AddressInfo> {
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  return server.app.server.address() as AddressInfo;
}

interface RawUpload {
  chunks: number;
  chunk: Buffer;
  announced?: number;
  isCut?: boolean;
}

/** Sends an upload in chunks over a real socket. @returns the status; 0 when the connection was cut */
function sendRaw(port: number, { chunks, chunk, announced, isCut = false }: RawUpload): Promise<number> {
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const length = announced === undefined ? {} : { "content-length": String(announced) };
  const headers = { cookie, "content-type": "application/octet-stream", ...length };
  return new Promise((resolve) => {
    const sent = httpRequest({ port, host: "127.0.0.1", method: "POST", path: "/api/email-attachments", headers });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", () => resolve(0));
    for (let at = 0; at < chunks; at += 1) sent.write(chunk);
    if (!isCut) sent.end();
    else setTimeout(() => sent.destroy(), 100);
  });
}
