/** Who may make the calls compatible with SimpleLogin, and how refusals are answered. */
import { type KeyScope, keyScopes } from "@kauke/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, Visitor } from "../../test/test-server.ts";
import { KeyHolder, startKeyServer } from "./client.testing.ts";

interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  scope: KeyScope;
  body?: object;
  /**
   * Whether Kauke's own API has a route with this method and path, so that only the header field `Authentication` tells
   * the calls apart.
   */
  isShared?: true;
}

const routes: readonly Route[] = [
  { method: "GET", url: "/api/user_info", scope: "account:read" },
  { method: "GET", url: "/api/mailboxes", scope: "account:read", isShared: true },
  { method: "GET", url: "/api/v2/mailboxes", scope: "account:read" },
  { method: "GET", url: "/api/setting", scope: "account:read" },
  { method: "GET", url: "/api/v2/setting/domains", scope: "account:read" },
  { method: "GET", url: "/api/custom_domains", scope: "account:read" },
  { method: "GET", url: "/api/notifications?page=0", scope: "account:read" },
  { method: "GET", url: "/api/stats", scope: "aliases:read", isShared: true },
  { method: "GET", url: "/api/v4/alias/options?hostname=shop.example", scope: "aliases:create" },
  { method: "GET", url: "/api/v5/alias/options", scope: "aliases:create" },
  { method: "POST", url: "/api/alias/random/new", scope: "aliases:create" },
  { method: "POST", url: "/api/v2/alias/custom/new", scope: "aliases:create", body: {} },
  { method: "POST", url: "/api/v3/alias/custom/new", scope: "aliases:create", body: {} },
  { method: "GET", url: "/api/v2/aliases?page_id=0", scope: "aliases:read" },
  { method: "POST", url: "/api/v2/aliases?page_id=0", scope: "aliases:read", body: { query: "" } },
  { method: "GET", url: "/api/aliases/1", scope: "aliases:read", isShared: true },
  { method: "GET", url: "/api/aliases/1/activities?page_id=0", scope: "aliases:read", isShared: true },
  { method: "GET", url: "/api/aliases/1/contacts?page_id=0", scope: "aliases:read", isShared: true },
  { method: "POST", url: "/api/aliases/1/toggle", scope: "aliases:write", isShared: true },
  { method: "PUT", url: "/api/aliases/1", scope: "aliases:write", body: { name: "Ann" }, isShared: true },
  { method: "PATCH", url: "/api/aliases/1", scope: "aliases:write", body: { pinned: true }, isShared: true },
  { method: "DELETE", url: "/api/aliases/1", scope: "aliases:write", isShared: true },
];
const named = routes.map((route): [string, Route] => [`${route.method} ${route.url}`, route]);

/** Calls that get 404 even with a valid API key. */
const unserved: readonly [InjectOptions["method"], string][] = [
  ["POST", "/api/aliases/1/contacts"],
  ["POST", "/api/mailboxes"],
  ["PUT", "/api/mailboxes/1"],
  ["DELETE", "/api/mailboxes/1"],
  ["PATCH", "/api/setting"],
  ["PATCH", "/api/user_info"],
  ["GET", "/api/user/cookie_token"],
  ["DELETE", "/api/user"],
  ["PATCH", "/api/sudo"],
  ["GET", "/api/custom_domains/1/trash"],
  ["POST", "/api/notifications/1/read"],
  ["DELETE", "/api/contacts/1"],
  ["POST", "/api/contacts/1/toggle"],
  ["GET", "/api/export/aliases"],
  ["POST", "/api/auth/login"],
  ["POST", "/api/auth/register"],
  ["GET", "/api/phone/reservations/1"],
];

const wrongKey = { status: 401, body: { error: "Wrong api key" } };

let server: TestServer;
let ann: KeyHolder;
let bob: KeyHolder;
const keysWith = new Map<KeyScope, string>();
const keysWithout = new Map<KeyScope, string>();
const badKeys = ["", "x", "kauke", "é"];
beforeAll(async () => {
  server = await startKeyServer();
  ann = await new KeyHolder(server).begin();
  bob = await new KeyHolder(server).begin();
  for (const holder of [ann, bob]) await holder.call("POST", "/api/alias/random/new");
  for (const scope of keyScopes) {
    keysWith.set(scope, await ann.newKey([scope]));
    keysWithout.set(scope, await ann.newKey(keyScopes.filter((one) => one !== scope)));
  }
  const expiresAt = new Date(server.clock.now().getTime() + 1000).toISOString();
  const expired = await ann.newKey(keyScopes, { expiresAt });
  server.clock.advance(2);
  const revoked = await ann.newKey();
  const { body } = await ann.person.call("listApiKeys");
  await ann.person.call("deleteApiKey", { params: { keyId: body.keys[0].id } });
  badKeys.push(expired, revoked, `${ann.key}x`);
});
afterAll(() => server.close());

const json = (body: object | undefined) =>
  body === undefined ? {} : { payload: JSON.stringify(body), contentType: "application/json" };

async function send(
  { method, url, body }: Omit<Route, "scope">,
  headers: Record<string, string>,
  who = new Visitor(server),
) {
  const { payload, contentType } = json(body) as { payload?: string; contentType?: string };
  const type = contentType === undefined ? {} : { "content-type": contentType };
  const reply = await who.send({
    method,
    url,
    ...(payload === undefined ? {} : { payload }),
    headers: { ...type, ...headers },
  });
  expect(reply.headers.location).toBeUndefined();
  expect(reply.headers["set-cookie"]).toBeUndefined();
  return reply;
}

describe.each(named)("%s", (_, route) => {
  it("is refused with 401 to a key that is malformed, unknown, expired or revoked, and without one", async () => {
    for (const authentication of badKeys) expect(await send(route, { authentication })).toMatchObject(wrongKey);
    if (!route.isShared) expect(await send(route, {})).toMatchObject(wrongKey);
  });

  it("gets 403 with a key that lacks its scope, and succeeds with a key that has only this scope", async () => {
    const refused = await send(route, { authentication: keysWithout.get(route.scope) ?? "" });
    expect(refused).toMatchObject({ status: 403, body: { error: expect.any(String) } });
    const { status, body } = await send(route, { authentication: keysWith.get(route.scope) ?? "" });
    expect([200, 201, 400, 403], JSON.stringify(body)).toContain(status);
    if (status === 403) expect(body).toEqual({ error: "Forbidden" });
  });

  it("accepts no cookie in place of a key, not even from a page of another site", async () => {
    for (const headers of [{}, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }]) {
      if (!route.isShared)
        expect(await send(route, headers as Record<string, string>, ann.person)).toMatchObject(wrongKey);
      const withField = { ...headers, authentication: "" } as Record<string, string>;
      expect(await send(route, withField, ann.person)).toMatchObject(wrongKey);
    }
  });

  it("is answered when its path has two leading slashes and a trailing one", async () => {
    const [path, query] = route.url.split("?") as [string, string | undefined];
    for (const prefix of ["/", ""])
      for (const end of ["/", ""]) {
        const url = `${prefix}${path}${end}${query === undefined ? "" : `?${query}`}`;
        expect(await send({ ...route, url }, { authentication: "x" }), url).toMatchObject(wrongKey);
      }
  });
});

it("with the header field Authentication, shared paths answer in SimpleLogin's form, and without it in Kauke's own", async () => {
  const { person } = ann;
  expect((await person.call("listAliases")).body.aliases.length).toBeGreaterThan(0);
  expect((await person.call("listMailboxes")).body.mailboxes.length).toBeGreaterThan(0);
  expect((await send({ method: "GET", url: `/api/aliases/${person.userId}` }, {}, person)).body).toHaveProperty(
    "aliases",
  );
  const theirs = await send(
    { method: "GET", url: `/api/aliases/${person.userId}` },
    { authentication: ann.key },
    person,
  );
  expect(theirs).toMatchObject({ status: 403, body: { error: "Forbidden" } });
  const own = await send({ method: "GET", url: "/api/notices" }, { authentication: "x" }, person);
  expect([own.status, own.body.code]).toEqual([401, "key_invalid"]);
});

it("a client that asks for a key in exchange for the website's session gets 401, with and without that session", async () => {
  const headers = { "x-sl-allowcookies": "true", "content-type": "text/plain;charset=UTF-8" };
  const extension = { origin: "chrome-extension://dphilobhebphkdjbpfohgikllaljmgbn", "sec-fetch-site": "none" };
  for (const who of [ann.person, new Visitor(server)])
    for (const more of [{}, extension, { ...extension, "sec-fetch-site": "cross-site" }]) {
      const reply = await who.send({
        method: "POST",
        url: "/api/api_key",
        payload: "{}",
        headers: { ...headers, ...more },
      });
      expect(reply).toMatchObject(wrongKey);
    }
});

it.each(unserved)("%s %s is answered 404 in the clients' form to a key, and 401 to none", async (method, url) => {
  const reply = await ann.call(method, url, method === "GET" ? undefined : {});
  expect(reply).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  expect(Object.keys(reply.body)).toEqual(["error"]);
  expect(await ann.call(method, url, undefined, "x")).toMatchObject(wrongKey);
});

it("a client that signs in with a password and names its device is told to use an API key, whatever the password", async () => {
  const url = "/api/auth/login";
  const signIn = (who: Visitor, more: object, password = "correct horse") => {
    const payload = JSON.stringify({ email: ann.email, password, ...more });
    return who.send({ method: "POST", url, payload, headers: { "content-type": "application/json" } });
  };
  for (const password of ["correct horse", "wrong", ""])
    for (const device of ["Pixel 9", "", null]) {
      const app = new Visitor(server);
      const reply = await signIn(app, { device }, password);
      expect(reply).toMatchObject({ status: 403, body: { error: expect.stringMatching(/^use an API key/) } });
      expect([Object.keys(reply.body), reply.headers["set-cookie"], app.cookies.size]).toEqual([
        ["error"],
        undefined,
        0,
      ]);
    }
  const browser = new Visitor(server);
  expect(await signIn(browser, {})).toMatchObject({ status: 200, body: { user: { email: ann.email } } });
  expect((await browser.call("getSession")).status).toBe(200);
});

it("a key in the header field Authorization works on paths that Kauke's own API does not have", async () => {
  const headers = { authorization: `Bearer ${bob.key}` };
  expect((await send({ method: "POST", url: "/api/alias/random/new" }, headers)).status).toBe(201);
  expect((await send({ method: "GET", url: "/api/user_info" }, headers)).body.email).toBe(bob.email);
});

it("the clients' links to pages of SimpleLogin's website lead to pages of this server", async () => {
  for (const [url, to] of [
    ["/dashboard/api_key", "/settings#api-keys"],
    ["/dashboard/pricing", "/dashboard"],
    ["/auth/register?next=%2Fdashboard%2Fsetup_done", "/register"],
  ] as const) {
    const reply = await new Visitor(server).send({ method: "GET", url });
    expect([reply.status, reply.headers.location]).toEqual([302, to]);
  }
});
