/** Who may make which call of addy.io's clients, from which origin, and how refusals are answered. */
import { randomUUID } from "node:crypto";
import { type KeyScope, keyScopes } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, Visitor } from "../../test/test-server.ts";
import {
  type AddyPerson,
  askWith,
  newAddyAlias,
  newAddyKey,
  newPerson,
  startAddyServer,
} from "./addy-world.testing.ts";
import { clientModels } from "./client-models.testing.ts";

let server: TestServer;
let person: AddyPerson;
let recipientId: string;
/** API keys with one scope each, and API keys with all scopes but one. */
const keys = {} as Record<KeyScope, { only: string; others: string }>;
beforeAll(async () => {
  server = await startAddyServer({ config: { limits: "off" } });
  person = await newPerson(server);
  recipientId = (await person.ask("GET", "/api/v1/recipients")).body.data[0].id;
  for (const scope of keyScopes) {
    const only = await newAddyKey(person.visitor, [scope]);
    const others = await newAddyKey(
      person.visitor,
      keyScopes.filter((other) => other !== scope),
    );
    keys[scope] = { only: only.secret, others: others.secret };
  }
});
afterAll(() => server.close());

describe("sign-out of the apps", () => {
  const signOut = (key?: string, body?: object) =>
    askWith(server, { key, method: "POST", url: "/api/auth/logout", body });

  it("is 204 for any valid key, with and without a body, and 401 for an invalid one", async () => {
    for (const key of [person.key, keys["aliases:create"].only])
      for (const body of [undefined, {}]) expect(await signOut(key, body)).toMatchObject({ status: 204, body: "" });
    for (const key of ["x", `${person.key}x`]) expect((await signOut(key)).status).toBe(401);
    expect((await person.ask("GET", "/api/v1/account-details")).status).toBe(200);
  });

  it("leaves the website's session alone, whose own sign-out answers as before", async () => {
    const visitor = await new Visitor(server).register();
    const { secret } = await newAddyKey(visitor);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await visitor.send({ method: "POST", url: "/api/auth/logout", headers })).status).toBe(204);
    expect((await visitor.call("getSession")).status).toBe(200);
    expect(await visitor.call("logout")).toMatchObject({ status: 200, body: { message: "Successfully logged out" } });
    expect((await visitor.call("getSession")).status).toBe(401);
  });
});

interface Call {
  route: string;
  scope: KeyScope;
  status: number;
  body?: (aliasId: string) => object;
  headers?: Record<string, string>;
}

const call = (route: string, scope: KeyScope, status = 200, body?: Call["body"]): Call => ({
  route,
  scope,
  status,
  body,
});
const ids = (aliasId: string) => ({ ids: [aliasId] });
const id = (aliasId: string) => ({ id: aliasId });

const calls: readonly Call[] = [
  call("POST /aliases", "aliases:create", 201, () => ({ domain: "kauke.test" })),
  call("GET /aliases", "aliases:read"),
  call("GET /aliases/<id>", "aliases:read"),
  call("PATCH /aliases/<id>", "aliases:write", 200, () => ({ description: "x" })),
  { ...call("POST /aliases/<id>", "aliases:write"), headers: { "x-http-method-override": "PATCH" } },
  call("DELETE /aliases/<id>", "aliases:write", 204),
  call("DELETE /aliases/<id>/forget", "aliases:write", 204),
  call("POST /active-aliases", "aliases:write", 200, id),
  call("DELETE /active-aliases/<id>", "aliases:write", 204),
  call("POST /pinned-aliases", "aliases:write", 200, id),
  call("DELETE /pinned-aliases/<id>", "aliases:write", 204),
  call("POST /alias-recipients", "aliases:write", 200, (aliasId) => ({ alias_id: aliasId, recipient_ids: [] })),
  call("POST /aliases/get/bulk", "aliases:read", 200, ids),
  ...["activate", "deactivate", "pin", "unpin", "delete", "forget", "recipients"].map((name) =>
    call(`POST /aliases/${name}/bulk`, "aliases:write", 200, ids),
  ),
  ...[
    "account-details",
    "app-version",
    "api-token-details",
    "domain-options",
    "recipients",
    "recipients/<recipientId>",
    "chart-data",
    "failed-deliveries",
    "blocklist",
    "domains",
    "usernames",
    "rules",
  ].map((path) => call(`GET /${path}`, "account:read")),
];

interface How {
  key?: string;
  headers?: Record<string, string>;
  path?: (path: string) => string;
}

/** Makes the call. Its path names an alias created for this call, in case the call is allowed. */
async function make({ route, body, headers, status }: Call, how: How) {
  const isAllowed = how.key === person.key || Object.values(keys).some(({ only }) => only === how.key);
  const aliasId = isAllowed && status !== 201 ? (await newAddyAlias(person)).id : randomUUID();
  const [method = "", path = ""] = route.split(" ");
  const whole = `/api/v1${path.replace("<id>", aliasId).replace("<recipientId>", recipientId)}`;
  const url = how.path?.(whole) ?? whole;
  const key = how.key === undefined ? {} : { key: how.key };
  return askWith(server, { ...key, method, url, body: body?.(aliasId), headers: { ...headers, ...how.headers } });
}

describe.each(calls)("$route", (endpoint) => {
  it("succeeds with a key that has its scope, and gets 403, never 401, with a key that has all other scopes", async () => {
    const { only, others } = keys[endpoint.scope];
    expect((await make(endpoint, { key: only })).status).toBe(endpoint.status);
    const refused = await make(endpoint, { key: others });
    expect([refused.status, Object.keys(refused.body)]).toEqual([403, ["message"]]);
  });

  it("gets 401 without a key, with an invalid key, and with a cookie instead of a key", async () => {
    const cookie = [...person.visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const foreign = `kauke${"A".repeat(47)}`;
    const ways: { key?: string; headers?: Record<string, string> }[] = [
      {},
      { key: "x" },
      { key: foreign },
      { headers: { cookie } },
      { key: foreign, headers: { cookie } },
      { headers: { cookie, authorization: "Basic YTpi" } },
    ];
    for (const how of ways) {
      const { status, body } = await make(endpoint, how);
      expect([status, Object.keys(body)], JSON.stringify(how)).toEqual([401, ["message"]]);
    }
  });

  it("is answered without a redirect, even with doubled or trailing slashes", async () => {
    for (const path of [(url: string) => `/${url}`, (url: string) => `${url}/`, (url: string) => `/${url}/`])
      expect((await make(endpoint, { key: person.key, path })).status).toBe(endpoint.status);
  });
});

it("an expired key and a revoked one get 401", async () => {
  const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString();
  const { secret } = await newAddyKey(person.visitor, keyScopes, { expiresAt });
  const get = (key: string) => askWith(server, { key, method: "GET", url: "/api/v1/domain-options" });
  expect((await get(secret)).status).toBe(200);
  server.clock.advance(61);
  expect((await get(secret)).status).toBe(401);
  const revoked = await newAddyKey(person.visitor);
  await person.visitor.call("deleteApiKey", { params: { keyId: revoked.key.id } });
  expect((await get(revoked.secret)).status).toBe(401);
});

it("a call that Kauke does not serve gets 404 with a message, whatever the method", async () => {
  const { id: aliasId } = await newAddyAlias(person);
  for (const route of [
    "GET /account-notifications",
    "POST /recipients",
    "DELETE /recipients/1",
    "POST /recipients/email/resend",
    "PATCH /recipient-keys/1",
    "POST /encrypted-recipients",
    "POST /attached-recipients-only",
    "POST /domains",
    "POST /usernames",
    "POST /rules",
    "POST /reorder-rules",
    "POST /blocklist",
    "GET /failed-deliveries/1/download",
    `PATCH /aliases/${aliasId}/restore`,
    "POST /aliases/restore/bulk",
    `POST /aliases/${aliasId}`,
    "GET /aliases/1",
    `PUT /aliases/${aliasId}`,
    "GET /",
  ]) {
    const [method = "", path = ""] = route.split(" ");
    const { status, body } = await person.ask(
      method,
      `/api/v1${path}`,
      method === "GET" ? undefined : { ids: [aliasId] },
    );
    expect([status, clientModels.message?.safeParse(body).success], route).toEqual([404, true]);
  }
});

it("a preflight of the extension allows its header fields from any origin, without credentials", async () => {
  const { status, headers } = await new Visitor(server).send({
    method: "OPTIONS",
    url: "/api/v1/domain-options",
    headers: {
      origin: "chrome-extension://iadbdpnoknmbdeolbapdackdcogdmjpe",
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization,content-type,x-requested-from,x-requested-with",
      "sec-fetch-site": "cross-site",
    },
  });
  expect(status).toBe(204);
  expect(headers).toMatchObject({ "access-control-allow-origin": "*", "access-control-max-age": "86400" });
  expect(headers["access-control-allow-credentials"]).toBeUndefined();
  const allowed = String(headers["access-control-allow-headers"]).toLowerCase().split(", ");
  for (const name of ["authorization", "content-type", "x-requested-from", "x-requested-with"])
    expect(allowed).toContain(name);
  for (const method of ["GET", "POST", "PATCH", "DELETE"])
    expect(String(headers["access-control-allow-methods"]).split(", ")).toContain(method);
});

it("an error can be read from another origin too", async () => {
  const headers = { origin: "chrome-extension://iadbdpnoknmbdeolbapdackdcogdmjpe", "sec-fetch-site": "cross-site" };
  for (const key of ["x", person.key]) {
    const answer = await askWith(server, { key, method: "POST", url: "/api/v1/aliases", body: {}, headers });
    expect(answer.headers["access-control-allow-origin"], key).toBe("*");
  }
});

describe("another account", () => {
  it("sees and changes nothing of this account", async () => {
    const other = await newPerson(server);
    const alias = await newAddyAlias(person, { description: "of the first" });
    const theirs = (await person.ask("GET", "/api/v1/recipients")).body.data[0].id;
    expect((await other.ask("GET", "/api/v1/aliases")).body.data).toEqual([]);
    expect((await other.ask("GET", `/api/v1/recipients/${theirs}`)).status).toBe(404);
    expect((await other.ask("GET", `/api/v1/aliases?recipient=${theirs}`)).body.data).toEqual([]);
    for (const [method, path, body] of [
      ["GET", `/aliases/${alias.id}`],
      ["PATCH", `/aliases/${alias.id}`, { description: "taken" }],
      ["PATCH", `/aliases/${alias.id}`, {}],
      ["DELETE", `/aliases/${alias.id}`],
      ["DELETE", `/aliases/${alias.id}/forget`],
      ["POST", "/active-aliases", { id: alias.id }],
      ["DELETE", `/active-aliases/${alias.id}`],
      ["POST", "/pinned-aliases", { id: alias.id }],
      ["DELETE", `/pinned-aliases/${alias.id}`],
      ["POST", "/alias-recipients", { alias_id: alias.id, recipient_ids: [] }],
      ...["get", "activate", "deactivate", "pin", "unpin", "delete", "forget", "recipients"].map(
        (name) => ["POST", `/aliases/${name}/bulk`, { ids: [alias.id] }] as const,
      ),
    ] as const) {
      const answer = await other.ask(method, `/api/v1${path}`, body);
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
    const foreign = await other.ask("POST", "/api/v1/aliases", { domain: "kauke.test", recipient_ids: [theirs] });
    expect([foreign.status, Object.keys(foreign.body.errors)]).toEqual([422, ["recipient_ids"]]);
    const custom = { domain: "kauke.test", format: "custom", local_part: `a${randomUUID()}`, recipient_ids: [theirs] };
    expect((await other.ask("POST", "/api/v1/aliases", custom)).status).toBe(422);
    expect((await person.ask("GET", `/api/v1/aliases/${alias.id}`)).body.data).toEqual(alias);
  });
});
