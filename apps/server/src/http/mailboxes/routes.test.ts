import { randomUUID } from "node:crypto";
import { type KeyScope, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { provenPerson } from "./proven-person.testing.ts";

const settings = { origin: "http://localhost:3000", domain: "kauke.test" };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ confirmation: settings });
});
afterAll(() => server.close());

const addressOf = (name: string) => `${name}.${randomUUID().slice(0, 8)}@inbox.example`;
const mailboxesOf = async (who: Visitor) => (await who.call("listMailboxes")).body.mailboxes;
const add = (who: Visitor, address: string) => who.call("addMailbox", { body: { address } });

/** Answers the newest confirmation message to a mailbox, by confirming the mailbox or blocking further mail. */
async function answer(address: string, choice: "mine" | "block"): Promise<void> {
  const { store, clock } = server;
  const { deliveries } = await store.deliveries.claim({ now: clock.now(), leaseMs: 1, limit: 1000 });
  clock.advance(0.001);
  const asked = deliveries.filter(({ target: { purpose, destination } }) => {
    return purpose === "confirm" && destination.kind === "mailbox" && destination.address === address;
  });
  const body = await store.bodies.get(asked.at(-1)?.messageId ?? "");
  const token = /\/confirm\/([a-z2-7]{32})/.exec(body?.toString("utf8") ?? "")?.[1] ?? "";
  const { status } = await new Visitor(server).call("answerConfirmation", { body: { token, choice } });
  expect(status).toBe(200);
}

async function withKey(person: Visitor, scopes: readonly KeyScope[]) {
  const { secret } = (await person.call("createApiKey", { body: { name: "browser", scopes } })).body;
  const program = new Visitor(server);
  program.userId = person.userId;
  const headers = { authorization: `Bearer ${secret}` };
  return (name: Parameters<Visitor["call"]>[0], body?: unknown) => {
    const input = body === undefined ? {} : { body };
    return program.call(name, { ...input, params: { mailboxId: randomUUID() }, headers });
  };
}

describe("the mailboxes of an account", () => {
  it("are its own e-mail and every mailbox that its aliases forward to, with stable ids", async () => {
    const email = addressOf("ann");
    const ann = await new Visitor(server).register(email);
    server.clock.advance(1);
    await ann.createAlias({ forwardTo: "ann+shop@inbox.example" });
    server.clock.advance(1);
    await ann.createAlias({ forwardTo: "ben@inbox.example" });
    const paused = await ann.createAlias({ forwardTo: "Ann+Shop@inbox.example, https://hooks.example.org/x" });
    await ann.call("toggleAlias", { params: { aliasId: paused.id }, body: { active: false } });
    const listed = await mailboxesOf(ann);
    expect(listed).toMatchObject([
      { email, confirmed: false, state: "new", isDefault: false, aliasCount: 0 },
      { email: "ann+shop@inbox.example", state: "new", isDefault: false, aliasCount: 2 },
      { email: "ben@inbox.example", aliasCount: 1 },
    ]);
    expect(await mailboxesOf(ann)).toEqual(listed);
    expect(await mailboxesOf(await new Visitor(server).register())).toHaveLength(1);
  });

  it("are listed up to a limit, its own e-mail among them, however many its aliases forward to", async () => {
    const email = addressOf("many");
    const ann = await new Visitor(server).register(email);
    const userId = ann.userId as string;
    const many = (alias: number) =>
      Array.from({ length: 10 }, (_, index) => ({
        kind: "mailbox" as const,
        address: `m${alias}.${index}@in.example`,
      }));
    for (let alias = 0; alias <= limits.listedMailboxesMax / 10; alias += 1) {
      const rest = {
        notes: null,
        providerId: null,
        sealTo: "account",
        labels: [],
        pinned: false,
        writeByAddress: false,
        isOnOwnDomain: false,
      } as const;
      const createdAt = server.clock.now();
      const place = { id: randomUUID(), userId, name: `many-${randomUUID()}`, domain: "kauke.test", createdAt };
      await server.store.aliases.insert({ ...place, ...rest, routing: { state: "active", destinations: many(alias) } });
    }
    const listed = await mailboxesOf(ann);
    expect(listed).toHaveLength(limits.listedMailboxesMax);
    expect(listed.map((it: { email: string }) => it.email)).toContain(email);
    expect(await mailboxesOf(ann)).toEqual(listed);
  });

  it("a confirmed e-mail of the account is a confirmed mailbox and the default", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    expect(await mailboxesOf(ann)).toMatchObject([
      { email: ann.email, confirmed: true, state: "confirmed", isDefault: true },
    ]);
  });

  it("an added mailbox is asked for confirmation once, and can be the default after it was confirmed", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const address = addressOf("added");
    const added = await add(ann, ` ${address} `);
    expect(added).toMatchObject({
      status: 201,
      body: { email: address, state: "asked", isDefault: false, aliasCount: 0 },
    });
    expect((await add(ann, address.toUpperCase())).body).toEqual(added.body);
    const choose = () => ann.call("changeAccountDefaults", { body: { mailboxId: added.body.id } });
    expect(await choose()).toMatchObject({ status: 400, body: { errors: { mailboxId: [expect.any(String)] } } });
    await answer(address, "mine");
    expect(await choose()).toMatchObject({ status: 200, body: { mailboxId: added.body.id } });
    expect((await mailboxesOf(ann)).filter((it: { isDefault: boolean }) => it.isDefault)).toMatchObject([
      { email: address },
    ]);
    expect((await ann.call("generateAlias", { body: {} })).body.forwardTo).toBe(address);
  });

  it("the confirmation message to a mailbox that no alias forwards to can be requested again the next day", async () => {
    const email = addressOf("ann");
    const ann = await new Visitor(server).register(email);
    const address = addressOf("again");
    await add(ann, address);
    const again = () => ann.call("askConfirmation", { body: { address } });
    expect((await again()).status).toBe(429);
    server.clock.advance(86_400);
    await ann.call("login", { body: { email, password: "correct horse" } });
    expect((await again()).body).toEqual({ state: "asked" });
  });

  it("must be valid, not on this server's own domains, and must not block mail from this server", async () => {
    const ann = await new Visitor(server).register();
    const address = addressOf("blocks");
    await add(ann, address);
    await answer(address, "block");
    const bob = await new Visitor(server).register();
    for (const wrong of ["x@kauke.test", "x@ＫＡＵＫＥ.test", "nobody", "", address, address.replace("@", "+x@")])
      expect(await add(bob, wrong)).toMatchObject({ status: 400, body: { errors: { address: [expect.any(String)] } } });
    expect(await mailboxesOf(bob)).toHaveLength(1);
  });

  it("at most five mailboxes may be unconfirmed, and a sixth is not added", async () => {
    const ann = await new Visitor(server).register();
    for (let n = 0; n < 5; n++) expect((await add(ann, addressOf(`m${n}`))).status).toBe(201);
    expect(await add(ann, addressOf("m5"))).toMatchObject({
      status: 400,
      body: { errors: { address: [expect.any(String)] } },
    });
    expect(await mailboxesOf(ann)).toHaveLength(6);
  });

  it("at most a hundred mailboxes can be added, and sixty changes made per hour", async () => {
    const open = await startTestServer({ store: server.store, clock: server.clock, confirmation: null });
    const email = addressOf("ann");
    const ann = await new Visitor(open).register(email);
    const statuses: number[] = [];
    for (let n = 0; n <= limits.addedMailboxesMax; n++) {
      if (n % 60 === 0) {
        server.clock.advance(3600);
        await ann.call("login", { body: { email, password: "correct horse" } });
      }
      statuses.push((await ann.call("addMailbox", { body: { address: `m${n}@inbox.example` } })).status);
    }
    await open.app.close();
    expect(statuses.filter((status) => status === 201)).toHaveLength(limits.addedMailboxesMax);
    expect(statuses.at(-1)).toBe(400);
  });

  it("before a mailbox is removed, the aliases that lose it are listed; the only destination of an alias is not removed", async () => {
    const ann = await new Visitor(server).register();
    const address = addressOf("gone");
    const only = await ann.createAlias({ forwardTo: address });
    const both = await ann.createAlias({ forwardTo: `${address}, https://hooks.example.org/x` });
    const { id } = (await mailboxesOf(ann)).find((it: { email: string }) => it.email === address);
    const params = { mailboxId: id };
    const uses = (await ann.call("listMailboxAliases", { params })).body.aliases;
    expect(new Set(uses.map((it: { id: string; isOnly: boolean }) => [it.id, it.isOnly].join(" ")))).toEqual(
      new Set([`${only.id} true`, `${both.id} false`]),
    );
    const refused = await ann.call("removeMailbox", { params });
    expect(refused).toMatchObject({ status: 409, body: { code: "mailbox_needed" } });
    expect(refused.body.message).toContain(`${only.alias}@kauke.test`);
    const { aliases } = (await ann.call("listAliases")).body;
    expect(aliases.every((it: { forwardTo: string }) => it.forwardTo.includes(address))).toBe(true);
    await ann.call("deleteAlias", { params: { aliasId: only.id } });
    expect((await ann.call("removeMailbox", { params })).body).toEqual({
      message: "Mailbox removed",
      changedAliases: 1,
    });
    expect((await ann.call("listAliases")).body.aliases).toMatchObject([{ forwardTo: "https://hooks.example.org/x" }]);
    expect(await mailboxesOf(ann)).toHaveLength(1);
    expect((await ann.call("removeMailbox", { params })).status).toBe(404);
  });

  it("the account's own e-mail cannot be removed, and another account's mailbox is not found", async () => {
    const [ann, bob] = [await new Visitor(server).register(), await new Visitor(server).register()];
    const params = { mailboxId: (await mailboxesOf(ann))[0].id };
    expect((await ann.call("removeMailbox", { params })).status).toBe(400);
    for (const name of ["removeMailbox", "listMailboxAliases"] as const)
      expect((await bob.call(name, { params })).status).toBe(404);
    const chosen = await bob.call("changeAccountDefaults", { body: params });
    expect(chosen).toMatchObject({ status: 400, body: { errors: { mailboxId: [expect.any(String)] } } });
  });
});

describe("the defaults of an account", () => {
  it("are the first domain, characters, no site name and the confirmed mailbox, until they are changed", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const [{ id: mailboxId }] = await mailboxesOf(ann);
    const before = { domain: "kauke.test", format: "characters", siteInName: false, mailboxId };
    expect((await ann.call("getAccountDefaults")).body).toEqual(before);
    const change = { domain: " SLAPTA.test ", format: "words", siteInName: true };
    const after = { domain: "slapta.test", format: "words", siteInName: true, mailboxId };
    expect((await ann.call("changeAccountDefaults", { body: change })).body).toEqual(after);
    expect((await ann.call("changeAccountDefaults", { body: { siteInName: false } })).body).toEqual({
      ...after,
      siteInName: false,
    });
    expect((await ann.call("getAccountSettings")).body).not.toHaveProperty("domain");
    expect((await ann.call("getSession")).body.user).not.toHaveProperty("defaults");
  });

  it.each([
    {},
    { domain: "elsewhere.example" },
    { domain: "" },
    { format: "site" },
    { format: "names" },
    { siteInName: "yes" },
    { mailboxId: "x" },
    { mailboxId: randomUUID() },
  ])("refuse %j", async (body) => {
    const ann = await new Visitor(server).register();
    expect((await ann.call("changeAccountDefaults", { body })).status).toBe(400);
    expect((await ann.call("getAccountDefaults")).body).toMatchObject({ domain: "kauke.test", mailboxId: null });
  });
});

describe("an API key", () => {
  it("reads mailboxes and defaults with account:read, and changes neither with any scope", async () => {
    const ann = await provenPerson(server, addressOf("proven"));
    const [{ id: mailboxId }] = await mailboxesOf(ann);
    const reads = await withKey(ann, ["account:read"]);
    const writes = await withKey(ann, ["aliases:create", "aliases:read", "aliases:write"]);
    expect((await reads("listMailboxes")).body.mailboxes).toMatchObject([{ id: mailboxId }]);
    expect((await reads("getAccountDefaults")).body.mailboxId).toBe(mailboxId);
    for (const call of ["listMailboxes", "getAccountDefaults"] as const) expect((await writes(call)).status).toBe(403);
    for (const call of [reads, writes]) {
      expect((await call("addMailbox", { address: addressOf("by-key") })).status).toBe(403);
      expect((await call("changeAccountDefaults", { siteInName: true })).status).toBe(403);
      expect((await call("removeMailbox")).status).toBe(403);
      expect((await call("listMailboxAliases")).status).toBe(403);
    }
  });
});
