/**
 * Checks for every call of the contract who may make it: callers without a key, with each kind of invalid key, with
 * each scope, and by cookie.
 */
import {
  adminEndpoints,
  type Endpoint,
  type EndpointName,
  endpoints,
  fillPath,
  type KeyScope,
  keyScopes,
} from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiKeySecret } from "../../core/api-key.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { type AdminServer, startAdminServer } from "../admin/admin-server.testing.ts";
import { startTestServer, Visitor } from "../test/test-server.ts";
import { bearer, newKey } from "./api-keys.testing.ts";

const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
const signedIn = all.filter(([, { access }]) => access === "user");
const NO_ID = "00000000-0000-4000-8000-000000000000";
/** Ids of nothing that exists, for every path parameter. */
const ids = Object.fromEntries(
  all
    .flatMap(([, { path }]) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name))
    .filter((name) => name !== "userId")
    .map((name) => [name, NO_ID]),
);

const unknownIds = { accountId: NO_ID, inviteId: NO_ID, probeId: NO_ID };

let server: AdminServer;
let person: Visitor;
let other: Visitor;
let wrongHeaders: Record<string, Record<string, string>>;
const byScope = new Map<KeyScope, string>();

beforeAll(async () => {
  server = await startAdminServer({ config: { limits: "off" } });
  person = await new Visitor(server).register();
  other = await new Visitor(server).register();
  const expired = await newKey(person, keyScopes, { expiresAt: "2026-11-21T09:00:01Z" });
  const revoked = await newKey(person);
  await person.call("deleteApiKey", { params: { keyId: revoked.key.id } });
  for (const scope of keyScopes) byScope.set(scope, (await newKey(person, [scope])).secret);
  const whole = (await newKey(person)).secret;
  server.clock.advance(2);
  wrongHeaders = {
    "no value": { authorization: "" },
    "Bearer alone": { authorization: "Bearer" },
    "no scheme": { authorization: whole },
    "Basic authentication": { authorization: `Basic ${Buffer.from(`${whole}:`).toString("base64")}` },
    "a key with more text": bearer(`${whole} ${whole}`),
    "a mistyped key": bearer(`${whole.slice(0, -1)}${whole.endsWith("x") ? "y" : "x"}`),
    "an unknown key": bearer(newApiKeySecret(systemRandom)),
    "an expired key": bearer(expired.secret),
    "a revoked key": bearer(revoked.secret),
    "a session token": bearer(person.cookies.get("sid") ?? ""),
    "an Authentication field without a key": { authentication: "" },
    "an unknown key as Authentication": { authentication: newApiKeySecret(systemRandom) },
    "a wrong Authentication beside a right Bearer": { authentication: "wrong", ...bearer(whole) },
  };
});
afterAll(() => server.close());

/** A visitor without cookies whose request paths contain the account id of `person`. */
function stranger(): Visitor {
  const visitor = new Visitor(server);
  visitor.userId = person.userId;
  return visitor;
}

/** Makes a call without validating the response against the contract. */
function send(visitor: Visitor, name: EndpointName, headers: Record<string, string>) {
  const { method, path } = endpoints[name];
  return visitor.send({ method, url: fillPath(path, { ...ids, userId: person.userId }), headers });
}

describe.each(signedIn)("%s", (name, { scope }) => {
  it("answers 401 without a key", async () => {
    expect(await stranger().call(name, { params: ids })).toMatchObject({
      status: 401,
      body: { code: "not_signed_in" },
    });
  });

  it("answers 401 to every invalid key, even together with a session cookie", async () => {
    for (const [what, headers] of Object.entries(wrongHeaders)) {
      for (const visitor of [stranger(), person]) {
        const { status, body } = await send(visitor, name, headers);
        expect([what, status]).toEqual([what, 401]);
        // With the header field `Authentication`, some paths belong to another product's calls, which answer errors in
        // another form.
        if (headers.authentication === undefined) expect(body.code).toBe("key_invalid");
      }
    }
  });

  it(scope === undefined ? "is made by no key" : `is made by a key with the scope ${scope} only`, async () => {
    for (const [given, secret] of byScope) {
      const { status, body } = await stranger().call(name, { params: ids, headers: bearer(secret) });
      if (given === scope) expect([401, 403]).not.toContain(status);
      else expect([status, body.code]).toEqual([403, "key_scope"]);
    }
  });

  it("is made for the account of the key, not for that of the session cookie sent along", async () => {
    const secret = byScope.get(scope ?? "account:read") ?? "";
    const { status } = await other.call(name, { params: { ...ids, userId: person.userId }, headers: bearer(secret) });
    if (scope === undefined) expect(status).toBe(403);
    else expect([401, 403]).not.toContain(status);
    if (endpoints[name].path.includes(":userId")) {
      const ofCookie = await other.call(name, { params: ids, headers: bearer(secret) });
      expect(ofCookie.status).toBe(403);
    }
  });

  it("can be made with a session cookie alone", async () => {
    const visitor = await new Visitor(server).register();
    expect((await visitor.call(name, { params: ids })).status).not.toBe(401);
  });
});

describe.each(Object.entries<Endpoint>(adminEndpoints))("%s", (_, { method, path }) => {
  it("is made by no key, not even by an admin's, and is not there for one", async () => {
    const admin = await server.newAdmin();
    const whole = (await newKey(admin)).secret;
    for (const headers of [...Object.values(wrongHeaders), bearer(whole), { authentication: whole }]) {
      for (const visitor of [stranger(), admin]) {
        const { status, body } = await visitor.send({ method, url: fillPath(path, unknownIds), headers });
        const unknown = await visitor.send({ method, url: "/api/does-not-exist", headers });
        expect([status, body]).toEqual([unknown.status, unknown.body]);
        if (!("authentication" in headers)) expect([status, body.code]).toEqual([404, "not_found"]);
      }
    }
  });
});

describe("a session cookie sent along with an API key", () => {
  it("does not change the account: the call is made for the key's account", async () => {
    const secret = byScope.get("account:read") ?? "";
    expect((await other.call("getSession", { headers: bearer(secret) })).body.user.id).toBe(person.userId);
    expect((await other.call("getSession")).body.user.id).toBe(other.userId);
  });

  it("is not read by calls that need no session, e.g. signing out", async () => {
    const visitor = await new Visitor(server).register();
    const cookies = new Map(visitor.cookies);
    // With `Authorization` it is the sign-out of addy.io's apps.
    for (const [headers, status] of [
      [{ authorization: "x" }, 401],
      [{ authentication: "x" }, 200],
      [bearer(byScope.get("account:read") ?? ""), 204],
    ] as const) {
      expect((await visitor.send({ method: "POST", url: "/api/auth/logout", headers })).status).toBe(status);
      visitor.cookies = new Map(cookies);
      expect((await visitor.call("getSession")).status).toBe(200);
    }
  });

  it("is not read by pages and redirects", async () => {
    let cookieHeaders = 0;
    const spied = await startTestServer({
      store: server.store,
      extraRoutes: [
        (app) =>
          app.addHook("onRequest", async ({ headers, cookies }) => {
            if (headers.cookie !== undefined || Object.keys(cookies).length > 0) cookieHeaders += 1;
          }),
      ],
    });
    try {
      const urls = ["/", "/dashboard", "/preview", "/api/auth/google", "/api/auth/google/callback?state=x", "/nowhere"];
      for (const url of urls) {
        const cookie = "sid=1; browser=2";
        for (const headers of [{ authorization: "x" }, { authentication: "x" }])
          await spied.app.inject({ url, headers: { ...headers, cookie } });
        expect([url, cookieHeaders]).toEqual([url, 0]);
        await spied.app.inject({ url, headers: { cookie } });
        expect([url, cookieHeaders]).toEqual([url, 1]);
        cookieHeaders = 0;
      }
    } finally {
      await spied.close();
    }
  });
});

describe("a write from another site", () => {
  const foreign = { origin: "https://shop.example", "sec-fetch-site": "cross-site" };
  const body = { alias: "shop", domain: "kauke.test", forwardTo: "ann@example.org" };

  it("is refused with a session cookie and made with an API key", async () => {
    expect((await person.call("createAlias", { body, headers: foreign })).body.code).toBe("cross_site");
    const headers = { ...foreign, ...bearer(byScope.get("aliases:create") ?? "") };
    expect((await stranger().call("createAlias", { body, headers })).body.code).toBe("invalid");
    expect((await person.call("createAlias", { body, headers: { ...foreign, authorization: "x" } })).body.code).toBe(
      "key_invalid",
    );
  });
});
