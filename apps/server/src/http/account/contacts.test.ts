import { limits } from "@kauke/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

const key = "age1pdt7t8j69hqwyjc4kzwjknlx5dct40autmwftgrsnfm5jearwv4snj9avt";
let server: TestServer;
let ann: Visitor;

beforeEach(async () => {
  server = await startTestServer();
  ann = await new Visitor(server).register("ann@people.example");
});
afterEach(() => server.close());

const put = (body: unknown, visitor = ann) => visitor.call("putContact", { body });
const list = async (visitor = ann) => (await visitor.call("listContacts")).body.contacts;
const addresses = async (visitor = ann) => (await list(visitor)).map((it: { address: string }) => it.address);

/** What the delivery worker does once a host has taken a message for each of these. */
const write = (...people: string[]) =>
  server.store.contacts.remember(ann.userId, people, { now: server.clock.now(), max: limits.contactsMax });

describe("people that an account wrote to", () => {
  it("are those of its messages, the latest first, each once, with the key that was stored", async () => {
    await write("rasa@example.org", "jonas@example.org", "ruta@example.org");
    server.clock.advance(60);
    const stored = await put({ address: "Rasa@example.org", publicKey: key });
    expect(stored).toMatchObject({ status: 200, body: { publicKey: key } });
    server.clock.advance(60);
    await write("jonas@example.org");
    expect((await addresses())[0]).toBe("jonas@example.org");
    expect((await addresses()).toSorted()).toEqual(["Rasa@example.org", "jonas@example.org", "ruta@example.org"]);
    server.clock.advance(60);
    await write("rasa@example.org");
    expect((await list())[0]).toMatchObject({ id: stored.body.id, publicKey: key });
    expect((await put({ address: "rasa@example.org", publicKey: null })).body).toMatchObject({ publicKey: null });
  });

  it("are none of a message that still waits", async () => {
    const alias = await ann.createAlias();
    await ann.call("createSmtpCredential", { body: { aliasId: alias.id } });
    const message = { to: "rasa@example.org", subject: "s", body: "b", fromAliasId: alias.id };
    expect((await ann.call("createEmailJob", { body: message })).status).toBe(201);
    expect(await addresses()).toEqual([]);
  });

  it("can be forgotten one by one or all, and only by their account", async () => {
    const { body } = await put({ address: "rasa@example.org", publicKey: null });
    await put({ address: "jonas@example.org", publicKey: null });
    const eve = await new Visitor(server).register();
    const params = { contactId: body.id };
    expect((await eve.call("deleteContact", { params })).status).toBe(404);
    expect((await eve.call("deleteContacts")).status).toBe(200);
    expect(await addresses(eve)).toEqual([]);
    expect((await new Visitor(server).call("listContacts")).status).toBe(401);
    expect((await ann.call("deleteContact", { params })).status).toBe(200);
    expect((await ann.call("deleteContact", { params })).status).toBe(404);
    expect(await addresses()).toEqual(["jonas@example.org"]);
    await ann.call("deleteContacts");
    expect(await addresses()).toEqual([]);
  });

  it("are all forgotten when the account switches them off, and none is remembered until it is on again", async () => {
    await put({ address: "rasa@example.org", publicKey: key });
    const settings = (remembersContacts: boolean) => ann.call("changeAccountSettings", { body: { remembersContacts } });
    expect((await settings(false)).body).toMatchObject({ remembersContacts: false });
    expect(await addresses()).toEqual([]);
    await write("jonas@example.org");
    expect(await put({ address: "rasa@example.org", publicKey: null })).toMatchObject({ status: 409 });
    expect(await addresses()).toEqual([]);
    await settings(true);
    await write("jonas@example.org");
    expect(await addresses()).toEqual(["jonas@example.org"]);
  });

  it("are 500 at most: the oldest goes", async () => {
    const options = { now: server.clock.now(), max: limits.contactsMax };
    const many = Array.from({ length: limits.contactsMax }, (_, at) => `p${at}@example.org`);
    await server.store.contacts.remember(ann.userId, ["oldest@example.org"], options);
    server.clock.advance(1);
    await server.store.contacts.remember(ann.userId, many, { ...options, now: server.clock.now() });
    expect(await addresses()).toHaveLength(limits.contactsMax);
    expect(await addresses()).not.toContain("oldest@example.org");
  });

  it.each([
    [{ address: "rasa", publicKey: null }, "address", "Please enter a valid email address"],
    [{ address: "a@b.example\r\nX: y", publicKey: null }, "address", "Please enter a valid email address"],
    [{ address: "rasa@example.org", publicKey: "AGE-SECRET-KEY-1X" }, "publicKey", "This is not an AGE public key"],
    [
      { address: "rasa@example.org", publicKey: `age1${"x".repeat(5000)}` },
      "publicKey",
      "This is not an AGE public key",
    ],
    [{ address: "rasa@example.org" }, "publicKey", "This is not an AGE public key"],
  ])("%j is refused", async (body, field, message) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { errors: { [field]: [message] } } });
  });
});
