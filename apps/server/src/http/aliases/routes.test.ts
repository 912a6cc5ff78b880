import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, testDomains, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let bob: Visitor;
beforeAll(async () => {
  server = await startTestServer();
  [ann, bob] = await Promise.all([new Visitor(server).register(), new Visitor(server).register()]);
});
afterAll(() => server.close());

const FORMAT = "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas";
const HOOK = "https://hooks.example.org/in";

describe("creating an alias", () => {
  it("returns the alias at the top level, active at once, as it was typed", async () => {
    const reply = await ann.call("createAlias", {
      body: { alias: "Book.Club", domain: "Kauke.test", forwardTo: `Ann@example.org,${HOOK}`, notes: "shop" },
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      userId: ann.userId,
      alias: "Book.Club",
      domain: "kauke.test",
      forwardTo: `Ann@example.org, ${HOOK}`,
      active: true,
      notes: "shop",
      lastForwardTo: null,
      providerId: null,
    });
    const { body } = await ann.call("listAliases");
    expect(body.aliases).toContainEqual(reply.body);
  });

  const base = { alias: "fine", domain: "kauke.test", forwardTo: "ann@example.org" };
  const wrong: [string, Record<string, unknown>, Record<string, string[]>][] = [
    ["no name", { alias: " " }, { alias: ["Alias is required"] }],
    ["a name with a space", { alias: "two words" }, { alias: ["Invalid alias format"] }],
    ["a name that starts with a dot", { alias: ".fine" }, { alias: ["Invalid alias format"] }],
    ["a doubled dot", { alias: "fi..ne" }, { alias: ["Invalid alias format"] }],
    ["a name of 65", { alias: "x".repeat(65) }, { alias: ["Invalid alias format"] }],
    ["no domain", { domain: "" }, { domain: ["Domain is required"] }],
    ["another's domain", { domain: "example.org" }, { domain: ["Please choose one of the available domains"] }],
    ["no destination", { forwardTo: "" }, { forwardTo: ["At least one email address or webhook URL is required"] }],
    ["a destination that is none", { forwardTo: "ann@example.org, bob" }, { forwardTo: [FORMAT] }],
    ["the literal null", { forwardTo: "null" }, { forwardTo: [FORMAT] }],
    ["a trailing comma", { forwardTo: "ann@example.org," }, { forwardTo: [FORMAT] }],
    [
      "a destination on our own domain",
      { forwardTo: "x@Slapta.test" },
      { forwardTo: ["Mail can't be forwarded to an address on one of our own domains"] },
    ],
    ["our own domain in wide letters", { forwardTo: "x@ｋａｕｋｅ.test" }, { forwardTo: [FORMAT] }],
    ["notes of 129", { notes: "x".repeat(129) }, { notes: ["Notes must be 128 characters or less"] }],
    ["notes that are null", { notes: null }, { notes: ["Notes must be 128 characters or less"] }],
    [
      "two fields at once",
      { alias: "", domain: undefined },
      { alias: ["Alias is required"], domain: ["Domain is required"] },
    ],
    [
      "a foreign and an own domain",
      { domain: "a.example", forwardTo: "x@kauke.test" },
      {
        domain: ["Please choose one of the available domains"],
        forwardTo: ["Mail can't be forwarded to an address on one of our own domains"],
      },
    ],
  ];
  it.each(wrong)("refuses %s with an error for its field", async (_, change, errors) => {
    const reply = await ann.call("createAlias", { body: { ...base, ...change } });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: "invalid", message: Object.values(errors)[0]?.[0], errors });
  });

  it.each(["admin", "ADMIN", "adm1n", "pay-pal"])("refuses the reserved name %s without field errors", async (name) => {
    const reply = await ann.call("createAlias", { body: { ...base, alias: name } });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: "alias_reserved", message: `The name ${name} is reserved.` });
  });

  it("a name that merely contains a reserved word is free", async () => {
    await ann.createAlias({ alias: "badminton" });
  });

  it("refuses a taken address in any letter case, whichever account has it", async () => {
    await ann.createAlias({ alias: "Coffee" });
    for (const person of [ann, bob]) {
      const { status, body } = await person.call("createAlias", { body: { ...base, alias: "cOFFEE" } });
      expect([status, body.code]).toEqual([409, "alias_taken"]);
    }
    await bob.createAlias({ alias: "coffee", domain: "slapta.test" });
  });

  it("gives the address to one of many concurrent requests", async () => {
    const body = { ...base, alias: "race" };
    const tries = await Promise.all([ann, bob, ann, bob].map((person) => person.call("createAlias", { body })));
    expect(tries.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  });

  it("says when to try again once the limit is reached", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["alias_create", { max: 2, windowSeconds: 60 }]]) },
    });
    const cleo = await new Visitor(limited).register();
    await cleo.createAlias();
    await cleo.createAlias();
    const { status, body, headers } = await cleo.call("createAlias", { body: { ...base, alias: "third" } });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      code: "rate_limited",
      rateLimited: true,
      message: expect.stringContaining("too many"),
    });
    expect(new Date(body.resetTime)).toEqual(new Date(limited.clock.now().getTime() + 60_000));
    expect(headers["retry-after"]).toBe("60");
    limited.clock.advance(60);
    await cleo.createAlias({ alias: "third" });
    await limited.close();
  });

  it("has no limit when limits are off", async () => {
    const open = await startTestServer({ store: server.store, config: { limits: "off" } });
    const dora = await new Visitor(open).register();
    for (let made = 0; made < 61; made++) await dora.createAlias();
    await open.close();
  });
});

describe("changing an alias", () => {
  const put = (person: Visitor, aliasId: string, body: unknown) =>
    person.call("updateAlias", { params: { aliasId }, body });

  it("changes name, destinations and notes", async () => {
    const { id } = await ann.createAlias();
    const name = `renamed-${id.slice(0, 8)}`;
    const { body } = await put(ann, id, { alias: name, forwardTo: `bob@example.org, ${HOOK}`, notes: "new" });
    expect(body).toMatchObject({ id, alias: name, forwardTo: `bob@example.org, ${HOOK}`, notes: "new", active: true });
  });

  it("leaves omitted fields alone, and an empty text removes the notes", async () => {
    const made = await ann.createAlias({ notes: "keep" });
    expect((await put(ann, made.id, { forwardTo: "bob@example.org" })).body).toEqual({
      ...made,
      forwardTo: "bob@example.org",
    });
    expect((await put(ann, made.id, { notes: "" })).body.notes).toBeNull();
  });

  it("lets a webhook-only alias be edited", async () => {
    const { id } = await ann.createAlias({ forwardTo: HOOK });
    expect((await put(ann, id, { forwardTo: `${HOOK}?two` })).body.forwardTo).toBe(`${HOOK}?two`);
  });

  it("refuses an edit of values that changed since they were read; pausing is no such change", async () => {
    const { id, alias, forwardTo } = await ann.createAlias();
    const before = { alias, forwardTo, notes: null };
    await put(ann, id, { active: false });
    expect((await put(ann, id, { notes: "first", before })).body.notes).toBe("first");
    const { status, body } = await put(ann, id, { notes: "second", before });
    expect([status, body]).toEqual([
      409,
      { code: "alias_changed", message: "This alias was changed in the meantime." },
    ]);
    expect((await put(ann, id, { notes: "second", before: { ...before, notes: "first" } })).body.notes).toBe("second");
    await put(ann, id, { forwardTo: HOOK });
    expect((await put(ann, id, { notes: "third", before: { ...before, notes: "second" } })).status).toBe(409);
    expect((await put(ann, id, { before })).status).toBe(400);
  });

  it("requires at least one field", async () => {
    const { id } = await ann.createAlias();
    for (const body of [{}, { unknown: 1 }, undefined]) {
      const reply = await put(ann, id, body);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({
        code: "invalid",
        message: "At least one field (alias, forwardTo, active, notes, or lastForwardTo) must be provided",
      });
    }
  });

  it("validates every field as for a new alias", async () => {
    const { id } = await ann.createAlias();
    const own = ["Mail can't be forwarded to an address on one of our own domains"];
    const wrong: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ alias: "" }, { alias: ["Alias is required"] }],
      [{ alias: "a b" }, { alias: ["Invalid alias format"] }],
      [{ forwardTo: "null" }, { forwardTo: [FORMAT] }],
      [{ forwardTo: "x@kauke.test" }, { forwardTo: own }],
      [{ lastForwardTo: "x@kauke.test" }, { lastForwardTo: own }],
      [{ notes: "x".repeat(129) }, { notes: ["Notes must be 128 characters or less"] }],
      [{ active: "yes" }, { active: ["This field has the wrong type"] }],
    ];
    for (const [body, errors] of wrong) expect((await put(ann, id, body)).body.errors).toEqual(errors);
    expect((await put(ann, id, { alias: "support" })).body.code).toBe("alias_reserved");
  });

  it("new destinations of a paused alias leave it paused and apply once it is activated", async () => {
    const { id } = await ann.createAlias();
    await put(ann, id, { active: false });
    const { body } = await put(ann, id, { forwardTo: "later@example.org" });
    expect(body).toMatchObject({ active: false, forwardTo: "null", lastForwardTo: "later@example.org" });
    expect((await put(ann, id, { lastForwardTo: HOOK })).body).toMatchObject({ active: false, lastForwardTo: HOOK });
    expect((await put(ann, id, { active: true })).body).toMatchObject({
      active: true,
      forwardTo: HOOK,
      lastForwardTo: null,
    });
  });

  it("refuses a taken name, but not its own in another letter case", async () => {
    const [one, two] = [await ann.createAlias(), await ann.createAlias()];
    expect((await put(ann, one.id, { alias: two.alias.toUpperCase() })).status).toBe(409);
    expect((await put(ann, one.id, { alias: one.alias.toUpperCase() })).body.alias).toBe(one.alias.toUpperCase());
  });

  it("is for its owner only: others get a 404", async () => {
    const { id } = await ann.createAlias();
    for (const aliasId of [id, randomUUID(), "no-uuid", "\u0000", "a/b", "%"]) {
      const { status, body } = await put(bob, aliasId, { notes: "mine" });
      expect([aliasId, status, body.message]).toEqual([aliasId, 404, "Alias not found"]);
    }
    expect((await ann.call("listAliases")).body.aliases.find((it: { id: string }) => it.id === id).notes).toBeNull();
  });
});

describe("pausing and activating", () => {
  const toggle = (person: Visitor, aliasId: string, active: unknown) =>
    person.call("toggleAlias", { params: { aliasId }, body: { active } });

  it("pauses and activates, with the texts that the web app expects", async () => {
    const { id } = await ann.createAlias({ forwardTo: `ann@example.org, ${HOOK}` });
    const paused = await toggle(ann, id, false);
    expect(paused.body).toMatchObject({
      message: "Alias paused",
      alias: { active: false, forwardTo: "null", lastForwardTo: `ann@example.org, ${HOOK}` },
    });
    expect((await toggle(ann, id, false)).body).toEqual(paused.body);
    expect((await toggle(ann, id, true)).body).toMatchObject({
      message: "Alias activated",
      alias: { active: true, forwardTo: `ann@example.org, ${HOOK}`, lastForwardTo: null },
    });
  });

  it("requires true or false", async () => {
    const { id } = await ann.createAlias();
    for (const active of ["true", 1, null, undefined])
      expect((await toggle(ann, id, active)).body.errors).toEqual({ active: ["active must be true or false"] });
  });

  it("is for its owner only", async () => {
    const { id } = await ann.createAlias();
    expect((await toggle(bob, id, false)).status).toBe(404);
  });
});

describe("deleting an alias", () => {
  it("removes it, once", async () => {
    const { id } = await ann.createAlias();
    expect((await bob.call("deleteAlias", { params: { aliasId: id } })).status).toBe(404);
    expect(await ann.call("deleteAlias", { params: { aliasId: id } })).toMatchObject({
      status: 200,
      body: { message: "Alias deleted" },
    });
    expect((await ann.call("deleteAlias", { params: { aliasId: id } })).status).toBe(404);
  });

  it("accepts an id in capitals, and a JSON content type without a body", async () => {
    const { id } = await ann.createAlias();
    const headers = { "content-type": "application/json" };
    expect((await ann.call("deleteAlias", { params: { aliasId: id.toUpperCase() }, headers })).status).toBe(200);
  });

  it("reserves the address for its former account", async () => {
    const { id, alias } = await ann.createAlias();
    await ann.call("deleteAlias", { params: { aliasId: id } });
    const body = { alias, domain: "kauke.test", forwardTo: "bob@example.org" };
    const refused = await bob.call("createAlias", { body });
    expect([refused.status, refused.body.code]).toEqual([409, "alias_released"]);
    expect((await ann.call("createAlias", { body })).status).toBe(201);
  });

  it("frees the address for everybody after thirty days", async () => {
    const { id, alias } = await ann.createAlias();
    await ann.call("deleteAlias", { params: { aliasId: id } });
    server.clock.advance(30 * 86_400 + 1);
    const late = await new Visitor(server).register();
    await late.createAlias({ alias });
    ann = await new Visitor(server).register();
    bob = await new Visitor(server).register();
  });
});

describe("listing", () => {
  it("shows one's own aliases, newest first", async () => {
    const eve = await new Visitor(server).register();
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      made.unshift((await eve.createAlias()).id);
      server.clock.advance(1);
    }
    const { body } = await eve.call("listAliases");
    expect(body.aliases.map(({ id }: { id: string }) => id)).toEqual(made);
  });

  it("lists no alias with credentials before any were created", async () => {
    expect((await ann.call("listAliasesWithSmtp")).body).toEqual({ aliases: [] });
  });

  it("for another user's id is forbidden, for an invalid id not found", async () => {
    for (const name of ["listAliases", "listAliasesWithSmtp", "createAlias"] as const) {
      const theirs = await ann.call(name, {
        params: { userId: bob.userId },
        body: name === "createAlias" ? {} : undefined,
      });
      expect([theirs.status, theirs.body.code]).toEqual([403, "forbidden"]);
      expect((await ann.call(name, { params: { userId: "myself" } })).status).toBe(404);
    }
    expect((await ann.call("listAliases", { params: { userId: ann.userId.toUpperCase() } })).status).toBe(200);
  });

  it("for `me` are those of the signed-in user", async () => {
    const own = { params: { userId: "me" } };
    for (const name of ["listAliases", "listAliasesWithSmtp"] as const) {
      expect((await ann.call(name, own)).body).toEqual((await ann.call(name)).body);
      expect((await new Visitor(server).call(name, own)).status).toBe(401);
    }
  });

  it("domains needs no sign-in, and returns the provider's own two first", async () => {
    const { body } = await new Visitor(server).call("listDomains");
    expect(body).toEqual({ domains: ["kauke.test", "slapta.test", "rukas.test", "vejas.test"] });
    expect(testDomains[2]).toBe("vejas.test");
  });
});
