/** The calls of the admin page: who may make them, what they do, and what they never show. */
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { type AdminEndpointName, adminEndpoints, type Endpoint, fillPath, keyScopes } from "@kauke/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearer, newKey } from "../api-keys/api-keys.testing.ts";
import { Visitor } from "../test/test-server.ts";
import { type AdminServer, startAdminServer } from "./admin-server.testing.ts";

const NO_ID = "00000000-0000-4000-8000-000000000000";
const ids = { accountId: NO_ID, inviteId: NO_ID, probeId: NO_ID };
const all = Object.entries(adminEndpoints) as [AdminEndpointName, Endpoint][];

let server: AdminServer;
let admin: Visitor;
let other: Visitor;
let adminKey: string;
beforeAll(async () => {
  server = await startAdminServer({ config: { limits: "off" } });
  admin = await server.newAdmin();
  other = await new Visitor(server).register();
  adminKey = (await newKey(admin, keyScopes)).secret;
});
afterAll(() => server.close());

const notFound = { message: "Not found", code: "not_found" };
const actsOf = async (visitor: Visitor) => (await visitor.call("listOperatorActs")).body.acts;

describe.each(all)("%s", (_, { method, path }) => {
  const asJson = { "content-type": "application/json" };
  const requests: Record<string, InjectOptions> = {
    "without a body": {},
    "with a body": { payload: "{}", headers: asJson },
    "with a body that is no JSON": { payload: "{", headers: asJson },
    "with a body of another type": { payload: "x", headers: { "content-type": "text/plain" } },
    "with a body that is too large": { payload: `"${"x".repeat(2 ** 21)}"`, headers: asJson },
  };

  it("is not there for an ordinary account, without a session, and for an API key", async () => {
    const callers: [string, Visitor, Record<string, string>][] = [
      ["ordinary account", other, {}],
      ["nobody", new Visitor(server), {}],
      ["an admin's API key", new Visitor(server), bearer(adminKey)],
      ["an admin's session with an API key", admin, bearer(adminKey)],
      ["an admin's session with an empty key", admin, { authorization: "" }],
      ["an admin's session with SimpleLogin's field", admin, { authentication: adminKey }],
    ];
    for (const [caller, visitor, headers] of callers) {
      for (const [what, { payload, headers: more }] of Object.entries(requests)) {
        if (method === "GET" && payload !== undefined) continue;
        const send = (url: string) =>
          visitor.send({ method, url, payload, headers: { ...more, ...headers } } as InjectOptions);
        for (const id of [NO_ID, "x", "x".repeat(3000)]) {
          const unknown = await send(`/api/does-not-exist/${id}`);
          // Unknown paths belong to SimpleLogin's calls if its field is sent.
          if (headers.authentication === undefined)
            expect([caller, what, unknown.status, unknown.body]).toEqual([caller, what, 404, notFound]);
          const found = await send(path.replace(/:\w+/, id));
          for (const reply of [unknown, found]) delete reply.headers.date;
          expect([caller, what, found]).toEqual([caller, what, unknown]);
        }
      }
    }
  });

  it("is there for an admin", async () => {
    const { status, body } = await admin.send({ method, url: fillPath(path, ids) });
    if (status === 404) expect(body.message).not.toBe("Not found");
    else expect([200, 201, 400, 409]).toContain(status);
  });
});

it.each([
  ["with an encoded letter", "GET", "/%61pi/NAME/state"],
  ["with an encoded letter of the name", "HEAD", "/ap%69/NAME/state"],
  ["with a long id", "DELETE", `/api/NAME/accounts/${"x".repeat(9000)}`],
] as const)(
  "%s, a path is as unknown as others are to an ordinary account, also from another site",
  async (_, method, path) => {
    for (const headers of [{}, { origin: "https://shop.example" }]) {
      const replyTo = async (name: string) => {
        const reply = await server.app.inject({ method, url: path.replace("NAME", name), headers });
        return [reply.statusCode, { ...reply.headers, date: "" }, reply.body];
      };
      expect(await replyTo("admin")).toEqual(await replyTo("nobody"));
    }
  },
);

it("the description of the API for keys leaves the admin page's calls out", async () => {
  const { body } = await admin.send({ method: "GET", url: "/api/openapi.json" });
  expect(Object.keys(body.paths)).toContain("/api/aliases/{userId}");
  expect(JSON.stringify(body)).not.toContain("/api/admin");
});

describe("an admin", () => {
  it("has the state of the server, with the limits in force", async () => {
    const { body } = await admin.call("getServerState");
    expect(body).toMatchObject({ delivery: "preview", database: "embedded", registration: "open", certificates: null });
    expect(body.queue).toMatchObject({ open: 0, oldestAt: null });
    expect(body.limits.length).toBeGreaterThan(100);
  });

  it("has the DNS records of each domain in the form of zone files", async () => {
    const { domains, ownDomains } = (await admin.call("listServerDomains")).body;
    expect(ownDomains).toEqual({ new: 0, proven: 0, failing: 0, suspended: 0, closed: 0 });
    const records = domains.flatMap((one: { records: object[] }) => one.records);
    expect(records).toContainEqual({
      name: domains.at(-1).domain,
      type: "MX",
      value: expect.stringMatching(/^10 .*\.$/),
    });
    expect(records).toContainEqual(
      expect.objectContaining({ type: "TXT", value: expect.stringContaining('"v=DMARC1') }),
    );
  });

  it("has accounts and invitations with addresses only if asked for", async () => {
    const anna = await new Visitor(server).register("anna.canary@people.example");
    const { status } = await admin.call("createInvite", { body: { address: "bea.canary@people.example", days: 3 } });
    expect(status).toBe(201);
    const [accounts, invites] = [await admin.call("listAccounts"), await admin.call("listInvites")];
    expect(accounts.body.accounts).toContainEqual(expect.objectContaining({ id: anna.userId, isAdmin: false }));
    expect(accounts.body.accounts).toContainEqual(expect.objectContaining({ id: admin.userId, isAdmin: true }));
    expect(invites.body.invites).toContainEqual(expect.objectContaining({ isBound: true }));
    expect(JSON.stringify([accounts.body, invites.body])).not.toContain("@");
    const query = { addresses: "true" };
    expect(JSON.stringify((await admin.call("listAccounts", { query })).body)).toContain("anna.canary@");
    expect(JSON.stringify((await admin.call("listInvites", { query })).body)).toContain("bea.canary@");
  });

  it("has accounts page by page", async () => {
    const { accounts, isMore } = (await admin.call("listAccounts")).body;
    expect(isMore).toBe(false);
    const [first, ...rest] = accounts;
    const after = (await admin.call("listAccounts", { query: { after: first.id.toUpperCase() } })).body.accounts;
    expect(after).toEqual(rest);
  });

  it("deletes another account, and not their own", async () => {
    const gone = await new Visitor(server).register();
    const call = (accountId: string) => admin.call("deleteOtherAccount", { params: { accountId } });
    expect(await call(admin.userId)).toMatchObject({ status: 409, body: { code: "not_possible" } });
    expect((await call(gone.userId)).status).toBe(200);
    expect((await gone.call("getSession")).status).toBe(401);
    expect(await call(gone.userId)).toMatchObject({ status: 404, body: { message: "Account not found" } });
    expect((await admin.call("getSession")).status).toBe(200);
  });

  it("ends the sessions and API keys of another account; ending their own says so", async () => {
    const visitor = await new Visitor(server).register();
    const end = (by: Visitor, accountId: string) => by.call("endAccountSessions", { params: { accountId } });
    const { body } = await end(admin, visitor.userId);
    expect(body.message).toContain("The account is signed out everywhere");
    expect((await visitor.call("getSession")).status).toBe(401);
    const second = await server.newAdmin();
    expect((await end(second, second.userId)).body.message).toContain("You are signed out everywhere, here too");
    expect((await second.call("getServerState")).status).toBe(404);
  });

  it("invites and revokes the invitation", async () => {
    const made = await admin.call("createInvite", { body: {} });
    expect(made.body.link).toMatch(/\/register#invite=[a-z2-7]+$/);
    const revoke = () => admin.call("revokeInvite", { params: { inviteId: made.body.id } });
    expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 404]);
    const wrong = await admin.call("createInvite", { body: { address: "no address", days: 1 } });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ["address"]]);
  });

  it("is refused with a sentence what is not possible", async () => {
    expect(await admin.call("orderCertificates")).toMatchObject({
      status: 409,
      body: { code: "not_possible", message: expect.stringContaining("KAUKE_TLS=acme") },
    });
  });

  it("is told when certificates were ordered too often, which is no act", async () => {
    const ordered = await startAdminServer({
      store: server.store,
      replace: ({ facts }) => ({
        facts: async () => ({ ...(await facts({})), certificates: [] }),
        "certificates-order": async () => false,
      }),
    });
    try {
      const visitor = await ordered.newAdmin();
      const before = await actsOf(visitor);
      const { status, body } = await visitor.call("orderCertificates");
      expect([status, body.code, body.message]).toEqual([409, "not_possible", expect.stringContaining("an hour")]);
      expect(await actsOf(visitor)).toEqual(before);
    } finally {
      await ordered.close();
    }
  });

  it("is known as one in their session, and nobody else is", async () => {
    expect((await admin.call("getSession")).body.user.isAdmin).toBe(true);
    const register = { email: "plain@people.example", password: "correct horse" };
    const visitor = new Visitor(server);
    expect((await visitor.call("register", { body: register })).body.user).not.toHaveProperty("isAdmin");
    expect((await visitor.call("getSession")).body.user).not.toHaveProperty("isAdmin");
    await server.newAdmin("known@people.example");
    const login = { email: "known@people.example", password: "correct horse" };
    expect((await new Visitor(server).call("login", { body: login })).body.user.isAdmin).toBe(true);
  });

  it("whose right is revoked gets 404 at the next request", async () => {
    const former = await server.newAdmin();
    expect((await former.call("getServerState")).status).toBe(200);
    await server.control["users-admin"]({ userId: former.userId, isAdmin: false });
    expect((await former.call("getServerState")).status).toBe(404);
    expect((await former.call("getSession")).body.user).not.toHaveProperty("isAdmin");
  });

  it.each([
    ["right", "users-admin", { isAdmin: false }],
    ["session", "users-end-sessions", {}],
    ["account", "users-delete", {}],
  ] as const)("whose %s ends while the body of a call arrives gets 404, and nothing is done", async (_, call, more) => {
    const former = await server.newAdmin();
    const before = await admin.call("listInvites");
    const body = new PassThrough();
    const reply = former.send({
      method: "POST",
      url: "/api/admin/invitations",
      payload: body,
      headers: { "content-type": "application/json" },
    });
    body.write("{");
    await setTimeout(100);
    await server.control[call]({ userId: former.userId, ...more } as never);
    body.end("}");
    expect(await reply).toMatchObject({ status: 404, body: notFound });
    expect(await admin.call("listInvites")).toMatchObject({ body: before.body });
  });

  it("cannot be made to act by another site", async () => {
    const headers = { origin: "https://shop.example", "sec-fetch-site": "cross-site" };
    const reply = await admin.call("deleteOtherAccount", { params: { accountId: other.userId }, headers });
    expect([reply.status, reply.body.code]).toEqual([403, "cross_site"]);
    expect((await other.call("getSession")).status).toBe(200);
  });
});

describe("the audit list", () => {
  it("has each act and each look at addresses with the admin's account, and nothing else", async () => {
    const second = await server.newAdmin();
    const gone = await new Visitor(server).register();
    const before = (await actsOf(second)).length;
    await second.call("getServerState");
    await second.call("listAccounts");
    await second.call("listAccounts", { query: { addresses: "true" } });
    await second.call("orderCertificates");
    await second.call("deleteOtherAccount", { params: { accountId: NO_ID } });
    await second.call("deleteOtherAccount", { params: { accountId: gone.userId } });
    const acts = await actsOf(admin);
    expect(acts).toHaveLength(before + 2);
    const done = { at: server.clock.now().toISOString(), by: second.userId };
    expect(acts).toContainEqual({ ...done, act: "account_deleted", on: gone.userId });
    expect(acts).toContainEqual({ ...done, act: "addresses_shown", on: null });
  });
});

it("an act behind 200 later ones is in the whole list of the command", async () => {
  const { operator } = server.store;
  await operator.recordAct({ by: admin.userId, act: "account_deleted", on: "hidden" });
  server.clock.advance(1);
  for (let count = 0; count < 200; count++)
    await operator.recordAct({ by: admin.userId, act: "mail_probe_started", on: null });
  const hasHidden = (acts: readonly { on: string | null }[]) => acts.some(({ on }) => on === "hidden");
  const [shown, all] = [await actsOf(admin), await server.control["acts-list"]({ isAll: true })];
  expect([shown.length, hasHidden(shown), hasHidden(all)]).toEqual([200, false, true]);
});

describe("what belongs to an account", () => {
  const canaries = ["canaryalias", "canarybox", "canary note", "canary subject", "canary text", "canaryperson"];
  const found = (text: string) => canaries.filter((canary) => text.includes(canary));

  it("is in no response: no alias, destination, note, mail or address", async () => {
    const owner = await new Visitor(server).register("canaryperson@people.example");
    const { id } = await owner.createAlias({
      alias: "canaryalias",
      forwardTo: "canarybox@inbox.example",
      notes: "canary note",
    });
    await owner.call("createSmtpCredential", { body: { aliasId: id } });
    const message = { to: "canarybox@far.example", subject: "canary subject", body: "canary text" };
    expect((await owner.call("createEmailJob", { body: { ...message, fromAliasId: id } })).status).toBe(201);
    const own = [
      await owner.call("listAliases"),
      await owner.call("getSession"),
      await owner.call("listWaitingEmailJobs"),
    ];
    // Composed mail is left out of the queue until its owner can't cancel it any more.
    server.clock.advance(60);
    const texts: string[] = [];
    for (const [name, { method, path }] of all) {
      const host = name === "retryQueue" || name === "dropQueue" ? { payload: { host: "far.example" } } : {};
      const params = { ...ids, accountId: owner.userId };
      const url = fillPath(path, name === "deleteOtherAccount" ? ids : params);
      const { body } = await admin.send({ method, url, ...host } as InjectOptions);
      texts.push(JSON.stringify(body));
    }
    expect(found(texts.join())).toEqual([]);
    expect(texts.join()).toContain('"host":"far.example"');
    // Control: the words are found where they may be.
    expect(found(JSON.stringify(own.map(({ body }) => body)))).toEqual([
      "canaryalias",
      "canarybox",
      "canary note",
      "canary subject",
      "canaryperson",
    ]);
    const asked = await admin.call("listAccounts", { query: { addresses: "true" } });
    expect(found(JSON.stringify(asked.body))).toEqual(["canaryperson"]);
  });
});

describe("a call that takes long", () => {
  it("runs the checks once for all who ask at the same time, and again after a minute", async () => {
    let times = 0;
    const clock = { now: () => new Date(Date.parse("2026-11-21T09:00:00Z") + times++ * 1000), steadyMs: () => steady };
    let steady = 0;
    const checked = await startAdminServer({ store: server.store, view: { clock } });
    try {
      const run = () => admin.call("runHealthChecks");
      admin = await checked.newAdmin();
      const first = await Promise.all([run(), run(), run()]);
      expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(first[0]?.body.checks.length).toBeGreaterThan(3);
      const { checkedAt } = first[0]?.body ?? {};
      steady = 59_000;
      for (const { body } of [...first, await run()]) expect(body.checkedAt).toBe(checkedAt);
      steady = 61_000;
      expect((await run()).body.checkedAt).not.toBe(checkedAt);
    } finally {
      await checked.close();
    }
  });

  it("of certificates goes on after the response", async () => {
    const order = Promise.withResolvers<true>();
    const ordering = await startAdminServer({
      store: server.store,
      replace: ({ facts }) => ({
        facts: async () => ({ ...(await facts({})), certificates: [] }),
        "certificates-order": () => order.promise,
      }),
    });
    try {
      const visitor = await ordering.newAdmin();
      expect((await visitor.call("orderCertificates")).status).toBe(200);
      order.reject(new Error("the database is gone"));
      await expect.poll(() => ordering.logged).toContainEqual(expect.objectContaining({ event: "control_failed" }));
    } finally {
      await ordering.close();
    }
  });
});
