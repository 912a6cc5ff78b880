import { randomUUID } from "node:crypto";
import { type EndpointName, endpoints } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("an account", () => {
  it("counts its aliases, credentials, keys and messages", async () => {
    const ann = await new Visitor(server).register();
    await ann.createAlias();
    const { id } = await ann.createAlias();
    await ann.call("toggleAlias", { params: { aliasId: id }, body: { active: false } });
    expect((await ann.call("getAccountStats")).body.stats).toEqual({
      aliases: 2,
      activeAliases: 1,
      smtpCredentials: 0,
      encryptionKeys: 0,
      emailJobs: 0,
    });
  });

  it("has the leak guard on until its owner switches it off, each account separately", async () => {
    const [ann, bob] = [await new Visitor(server).register(), await new Visitor(server).register()];
    const settings = async (who: Visitor) => (await who.call("getAccountSettings")).body;
    expect(await settings(ann)).toEqual({
      leakGuard: true,
      aliasInQuotes: false,
      remembersContacts: true,
      hidesFirstSteps: false,
      sealTo: "off",
    });
    const off = await ann.call("changeAccountSettings", { body: { leakGuard: false } });
    expect(off).toMatchObject({ status: 200, body: { leakGuard: false, sealTo: "off" } });
    expect([await settings(ann), await settings(bob)]).toEqual([
      { leakGuard: false, aliasInQuotes: false, remembersContacts: true, hidesFirstSteps: false, sealTo: "off" },
      { leakGuard: true, aliasInQuotes: false, remembersContacts: true, hidesFirstSteps: false, sealTo: "off" },
    ]);
    await ann.call("changeAccountSettings", { body: { leakGuard: true } });
    expect(await settings(ann)).toEqual({
      leakGuard: true,
      aliasInQuotes: false,
      remembersContacts: true,
      hidesFirstSteps: false,
      sealTo: "off",
    });
    expect((await ann.call("getSession")).status).toBe(200);
  });

  it.each([{ leakGuard: "no" }, { leakGuard: null }])("refuses %j as settings", async (body) => {
    const ann = await new Visitor(server).register();
    const answer = await ann.call("changeAccountSettings", { body });
    expect(answer.body).toMatchObject({ code: "invalid", errors: { leakGuard: ["leakGuard must be true or false"] } });
    expect((await ann.call("getAccountSettings")).body).toEqual({
      leakGuard: true,
      aliasInQuotes: false,
      remembersContacts: true,
      hidesFirstSteps: false,
      sealTo: "off",
    });
  });

  it("changes only the settings that are given, and requires at least one", async () => {
    const ann = await new Visitor(server).register();
    await ann.call("changeAccountSettings", { body: { leakGuard: false } });
    const change = (body: object) => ann.call("changeAccountSettings", { body });
    expect((await change({ sealTo: "off" })).body).toEqual({
      leakGuard: false,
      aliasInQuotes: false,
      remembersContacts: true,
      hidesFirstSteps: false,
      sealTo: "off",
    });
    expect(await change({})).toMatchObject({ status: 400, body: { message: "At least one setting must be provided" } });
    const text = "sealTo must be off, or the id of one of your encryption keys";
    for (const sealTo of ["on", "", null, 1, "7b6d6a54-6f0a-4a53-9d2e-111111111111"]) {
      expect(await change({ sealTo })).toMatchObject({ status: 400, body: { errors: { sealTo: [text] } } });
    }
  });

  it("can be downloaded as a whole: every row with its deletion date", async () => {
    const ann = await new Visitor(server).register("takes.it@example.org");
    const { alias } = await ann.createAlias({ forwardTo: "ann.real@example.org", notes: "for the shop" });
    const { status, body, headers } = await ann.call("exportAccount");
    const day = server.clock.now().toISOString().slice(0, 10);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-disposition": `attachment; filename="kauke-account-${day}.json"`,
      "cache-control": "no-store",
    });
    expect(body.accountId).toBe(ann.userId);
    const { user, alias: aliases, session, rate_limit } = body.tables;
    expect(user.rows).toMatchObject([{ email: "takes.it@example.org", hasPassword: true }]);
    expect(aliases.rows).toMatchObject([{ name: alias, notes: "for the shop" }]);
    expect([session.rows.length, rate_limit.rows.length]).toEqual([1, 2]);
    expect(JSON.stringify(body)).toContain("ann.real@example.org");
    expect(JSON.stringify(server.logged)).not.toMatch(/takes\.it|ann\.real/);
  });

  it("can be downloaded only by its owner, ten times an hour at most", async () => {
    expect((await new Visitor(server).call("exportAccount")).status).toBe(401);
    const ann = await new Visitor(server).register();
    for (let count = 0; count < 10; count += 1) expect((await ann.call("exportAccount")).status).toBe(200);
    expect(await ann.call("exportAccount")).toMatchObject({ status: 429, body: { rateLimited: true } });
  });

  it("cannot be downloaded through another site's link, which would use up the limit", async () => {
    const ann = await new Visitor(server).register();
    for (const site of ["cross-site", "same-site"])
      for (let count = 0; count < 6; count += 1)
        expect(await ann.call("exportAccount", { headers: { "sec-fetch-site": site } })).toMatchObject({
          status: 403,
          body: { code: "cross_site" },
        });
    for (const site of ["same-origin", "none"])
      expect((await ann.call("exportAccount", { headers: { "sec-fetch-site": site } })).status).toBe(200);
  });

  it("has one key of drafts, also by two requests at once, which only a session of the account gets", async () => {
    const ann = await new Visitor(server).register("drafts@example.org");
    const keyOf = async (who: Visitor) => (await who.call("getDraftKey")).body.key;
    const [key, again] = await Promise.all([keyOf(ann), keyOf(ann)]);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(again).toBe(key);
    const phone = new Visitor(server);
    await phone.call("login", { body: { email: "drafts@example.org", password: "correct horse" } });
    const { body, headers } = await phone.call("getDraftKey");
    expect([body, headers["cache-control"]]).toEqual([{ key }, "no-store"]);
    const bob = await new Visitor(server).register();
    expect(await keyOf(bob)).not.toBe(key);
    const exported = (await ann.call("exportAccount")).body;
    expect(exported.tables.user.rows).toMatchObject([{ hasDraftKey: true }]);
    const shown = JSON.stringify([exported, (await ann.call("getSession")).body, (await ann.call("getSignIn")).body]);
    expect(shown).not.toContain(key);
    expect(JSON.stringify(server.logged)).not.toContain(key);
    await ann.call("logout");
    expect((await ann.call("getDraftKey")).status).toBe(401);
    await phone.call("deleteAccount");
    expect((await phone.call("getDraftKey")).status).toBe(401);
  });

  it("is deleted with its aliases and its sessions on every device", async () => {
    const email = "gone@example.org";
    const ann = await new Visitor(server).register(email);
    const phone = new Visitor(server);
    await phone.call("login", { body: { email, password: "correct horse" } });
    const { alias } = await ann.createAlias();
    expect(await ann.call("deleteAccount")).toMatchObject({ status: 200, body: { message: "Account deleted" } });
    expect(ann.cookies.has("sid")).toBe(false);
    expect((await phone.call("getSession")).status).toBe(401);
    expect((await phone.call("login", { body: { email, password: "correct horse" } })).status).toBe(401);
    const bob = await new Visitor(server).register();
    const taken = await bob.call("createAlias", { body: { alias, domain: "kauke.test", forwardTo: "b@example.org" } });
    expect(taken.body.code).toBe("alias_released");
  });

  it("deleted while other calls are in progress, makes them fail as not signed in", async () => {
    const ann = await new Visitor(server).register();
    const body = { alias: "too-late", domain: "kauke.test", forwardTo: "a@example.org" };
    const calls = [ann.call("deleteAccount"), ann.call("createAlias", { body }), ann.call("getSession")];
    const [deleted, ...others] = (await Promise.all(calls)).map(({ status }) => status);
    expect(deleted).toBe(200);
    expect([200, 201, 401]).toEqual(expect.arrayContaining(others));
    expect(server.logged).toEqual([]);
  });

  it("counts in the public totals", async () => {
    const before = (await new Visitor(server).call("getStats")).body.stats;
    await (await new Visitor(server).register()).createAlias();
    // The totals are counted once a minute; meanwhile whoever asks gets the former ones.
    server.clock.advance(60);
    await expect
      .poll(async () => (await new Visitor(server).call("getStats")).body.stats)
      .toEqual({ totalUsers: before.totalUsers + 1, totalAliases: before.totalAliases + 1 });
  });
});

describe("a client that is not signed in", () => {
  const closed = (Object.keys(endpoints) as EndpointName[]).filter((name) => endpoints[name].access === "user");
  it.each(closed)("is refused by %s before anything else is checked", async (name) => {
    const params = { userId: randomUUID(), aliasId: "no id", noticeId: "no id", credentialId: "no id" };
    const { status, body } = await new Visitor(server).call(name, { params });
    expect([status, body.code]).toEqual([401, "not_signed_in"]);
  });
});
