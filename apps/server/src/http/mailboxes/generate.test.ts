import { randomUUID } from "node:crypto";
import { findReservedName } from "@kauke/contract/reserved-names";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { provenPerson } from "./proven-person.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ confirmation: { origin: "http://localhost:3000", domain: "kauke.test" } });
});
afterAll(() => server.close());

const addressOf = (name: string) => `${name}.${randomUUID().slice(0, 8)}@inbox.example`;

const generate = (who: Visitor, body: object = {}) => who.call("generateAlias", { body });

async function keyOf(person: Visitor) {
  const body = { name: "browser", scopes: ["aliases:create"] };
  const { secret } = (await person.call("createApiKey", { body })).body;
  const program = new Visitor(server);
  program.userId = person.userId;
  const headers = { authorization: `Bearer ${secret}` };
  return {
    generate: (fields: object = {}) => program.call("generateAlias", { body: fields, headers }),
    name: (fields: object = {}) => program.call("generateName", { body: fields, headers }),
  };
}

describe("a generated alias", () => {
  it("gets domain, format and mailbox of the account's defaults, and the site's host as notes", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    await ann.call("changeAccountDefaults", { body: { domain: "vejas.test", format: "words" } });
    const hostname = "https://www.Shop.example/sign-up?session=1";
    const made = await generate(ann, { hostname });
    expect(made).toMatchObject({
      status: 201,
      body: { domain: "vejas.test", forwardTo: ann.email, notes: "www.shop.example", active: true },
    });
    expect(made.body.alias).toMatch(/^[a-z]+\.[a-z]+\.[a-z]+\.\d\d$/);
    expect((await generate(ann, { hostname, notes: "for the shop" })).body.notes).toBe("for the shop");
    expect((await generate(ann, { hostname: "not a host" })).body.notes).toBeNull();
    expect((await ann.call("listAliases")).body.aliases).toHaveLength(3);
  });

  it("is refused without a confirmed mailbox, with a sentence that says where to confirm one", async () => {
    const ann = await new Visitor(server).register();
    const refused = await generate(ann);
    expect(refused).toMatchObject({ status: 403, body: { code: "no_mailbox" } });
    expect(refused.body.message).toContain("Settings, “Mailboxes”");
    expect((await generate(ann, { forwardTo: addressOf("any") })).status).toBe(201);
  });

  it.each([
    ["characters", /^[bcdfghjkmnpqrtvwx25679]{14}$/],
    ["uuid", /^[0-9a-f-]{36}$/],
    ["words", /^[a-z]+\.[a-z]+\.[a-z]+\.\d\d$/],
    ["site", /^shop\.[bcdfghjkmnpqrtvwx25679]{5}$/],
  ])("has the format %s if that is asked for", async (format, pattern) => {
    const ann = await provenPerson(server, addressOf("proven"));
    const { body } = await generate(ann, { format, domain: "slapta.test", hostname: "www.shop.example" });
    expect(body).toMatchObject({ alias: expect.stringMatching(pattern), domain: "slapta.test" });
  });

  it("names the site only if the account has switched that on or the call asks for it, and the site has a name", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const nameFor = async (body: object) => (await ann.call("generateName", { body })).body.alias;
    expect(await nameFor({ hostname: "shop.example" })).not.toContain("shop");
    await ann.call("changeAccountDefaults", { body: { siteInName: true } });
    expect(await nameFor({ hostname: "shop.example" })).toMatch(/^shop\.\w{5}$/);
    expect(await nameFor({ hostname: "shop.example", format: "characters" })).toMatch(/^\w{14}$/);
    for (const hostname of ["localhost", "192.0.2.7", "bounce.example", "пример.рф"])
      expect(await nameFor({ hostname, format: "site" })).toMatch(/^\w{14}$/);
  });

  it("forwards to the mailboxes of the ids that are given", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const address = addressOf("listed");
    await ann.createAlias({ forwardTo: address });
    const { mailboxes } = (await ann.call("listMailboxes")).body;
    const mailboxIds = mailboxes.map((it: { id: string }) => it.id.toUpperCase());
    const { body } = await generate(ann, { mailboxIds: [...mailboxIds, mailboxIds[0]] });
    expect(body.forwardTo.split(", ").sort()).toEqual([address, ann.email].sort());
    const bob = await provenPerson(server, addressOf("proven"));
    for (const wrong of [mailboxIds, [randomUUID()], ["x"], []])
      expect(await generate(bob, { mailboxIds: wrong })).toMatchObject({ status: 400, body: { code: "invalid" } });
    expect((await generate(ann, { mailboxIds, forwardTo: address })).status).toBe(400);
  });

  it("forwards by an API key only to confirmed mailboxes of the account", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const address = addressOf("unconfirmed");
    await ann.createAlias({ forwardTo: address });
    const { mailboxes } = (await ann.call("listMailboxes")).body;
    const ids = (state: string) =>
      mailboxes.filter((it: { state: string }) => it.state === state).map((it: { id: string }) => it.id);
    const key = await keyOf(ann);
    expect((await key.generate({ mailboxIds: ids("confirmed") })).status).toBe(201);
    expect((await key.generate()).body.forwardTo).toBe(ann.email);
    for (const body of [
      { mailboxIds: ids("new") },
      { forwardTo: address },
      { forwardTo: "https://hooks.example.org/x" },
    ])
      expect(await key.generate(body)).toMatchObject({
        status: 400,
        body: { errors: { forwardTo: [expect.any(String)] } },
      });
    expect((await generate(ann, { mailboxIds: ids("new") })).status).toBe(201);
    expect((await generate(ann, { forwardTo: "https://hooks.example.org/x" })).status).toBe(201);
  });

  it.each([
    { domain: "elsewhere.example" },
    { format: "names" },
    { forwardTo: "x@kauke.test" },
    { forwardTo: "nobody" },
    { notes: "x".repeat(129) },
    { hostname: 1 },
    { hostname: "x".repeat(3000) },
  ])("is refused for %j", async (body) => {
    const ann = await provenPerson(server, addressOf("proven"));
    expect((await generate(ann, body)).status).toBe(400);
    expect((await ann.call("listAliases")).body.aliases).toEqual([]);
  });

  it("counts as one of sixty an hour; a refused one does not count", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    for (let n = 0; n < 5; n++) await generate(ann, { domain: "elsewhere.example" });
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++) statuses.push((await generate(ann)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(60);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("a generated name", () => {
  it("is free, and no alias is created", async () => {
    const ann = await new Visitor(server).register();
    const { status, body } = await ann.call("generateName", { body: { format: "uuid", domain: "rukas.test" } });
    expect([status, body.domain]).toEqual([200, "rukas.test"]);
    expect(findReservedName(body.alias)).toBeNull();
    expect((await ann.call("listAliases")).body.aliases).toEqual([]);
    await ann.createAlias(body);
  });

  it("needs the scope aliases:create, the caller's own user id and a domain of this server, and is limited per hour", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const key = await keyOf(ann);
    expect((await key.name()).status).toBe(200);
    const bob = await new Visitor(server).register();
    const params = { userId: ann.userId };
    for (const call of ["generateName", "generateAlias"] as const) {
      expect((await bob.call(call, { params, body: {} })).status).toBe(403);
      expect((await new Visitor(server).call(call, { params, body: {} })).status).toBe(401);
    }
    expect((await key.name({ domain: "elsewhere.example" })).status).toBe(400);
    const rule = { action: "name_generate", max: 300, windowSeconds: 3600 };
    await server.store.rateLimits.takeAll(rule, { userId: ann.userId }, server.clock.now(), 260);
    let answered = 261;
    while (answered < 400 && (await ann.call("generateName", { body: {} })).status === 200) answered++;
    expect(answered).toBe(300);
  });
});
