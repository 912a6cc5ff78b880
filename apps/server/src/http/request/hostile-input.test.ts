/** Any input to any route gets a client error (4xx) or a success, in the form that the web app expects. */
import { type Endpoint, errorCodes } from "@kauke/contract";
import { rounds } from "@kauke/testkit/long-rounds";
import * as fc from "fast-check";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdminServer, startAdminServer } from "../admin/admin-server.testing.ts";
import { testAgeKey } from "../test/test-key.ts";
import { everyEndpoint, startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: AdminServer;
/** Strangers visit this one, which looks their `invite` up. */
let byInvitation: TestServer;
let ann: Visitor;
let admin: Visitor;
let inviteId: string;
/** An account that the admin may delete. */
let accountId: string;
let aliasId: string;
let credentialId: string;
let keyId: string;
beforeAll(async () => {
  server = await startAdminServer({ config: { limits: "off" } });
  byInvitation = await startTestServer({ store: server.store, config: { limits: "off", registration: "invite" } });
  ann = await new Visitor(server).register();
  aliasId = (await ann.createAlias()).id;
  credentialId = (await ann.call("createSmtpCredential", { body: { aliasId } })).body.credential.id;
  const { publicKey, encryptedPrivateKey } = testAgeKey;
  const key = await ann.call("createEncryptionKey", { body: { keyName: "k", publicKey, encryptedPrivateKey } });
  keyId = key.body.key.id;
  admin = await server.newAdmin();
  accountId = (await new Visitor(server).register()).userId;
  inviteId = (await admin.call("createInvite", { body: {} })).body.id;
});
afterAll(async () => {
  await byInvitation.close();
  await server.close();
});

const fields = [
  "alias",
  "domain",
  "forwardTo",
  "notes",
  "active",
  "lastForwardTo",
  "aliasId",
  "email",
  "password",
  "currentPassword",
  "newPassword",
  "token",
  "keyName",
  "publicKey",
  "encryptedPrivateKey",
  "keyId",
  "encryptedText",
  "privateKey",
  "walletAddress",
  "nonce",
  "signedMessage",
  "signature",
  "invite",
  "host",
  "address",
  "days",
  "headers",
  "inSpam",
  "toString",
  "length",
];
const nasty = fc.constantFrom<unknown>(
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e",
  "null",
  "true",
  "[]",
  "{}",
  "../..",
  "'; --",
  "%00",
  "ann@example.org\r\nRCPT TO:<x>",
  "x".repeat(60_000),
  ",".repeat(5000),
  "a@b.co,".repeat(2000),
  "https://x/".repeat(400),
  "http://[::1",
  "http://\u0000",
  null,
  true,
  -0,
  1e308,
  [],
  [[]],
  {},
  { length: 1 },
  ["ann@example.org"],
  { toString: "x" },
  { valueOf: {} },
);
const value = fc.oneof({ weight: 3, arbitrary: nasty }, fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: "binary" }));
const object = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 6 });
const valid = {
  alias: "fine",
  domain: "kauke.test",
  forwardTo: "ann@example.org",
  email: "a@b.example",
  password: "12345678",
};
const almost = fc.tuple(fc.constantFrom(...fields), value).map(([field, odd]) => ({ ...valid, [field]: odd }));
const deep = fc
  .nat({ max: 20_000 })
  .map((levels) => `${'{"a":['.repeat(levels)}${"]}".repeat(levels)}`.slice(0, 65_000));
const body = fc.oneof(
  fc.oneof(object, almost, value).map((it) => JSON.stringify(it) ?? ""),
  deep,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const headers = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json",
      "application/json",
      "text/json",
      "application/json;;;",
      "a/b",
      "\u00e9",
    ),
    accept: fc.constantFrom("*/*", "text/html", "\u00ff"),
    "x-forwarded-for": fc.constantFrom("1.2.3.4", "::1", "x".repeat(500), ",,,"),
    "if-none-match": fc.constantFrom("*", '"x'),
    range: fc.constantFrom("bytes=0-", "bytes=9-1", "x"),
    expect: fc.constantFrom("100-continue"),
    host: fc.constantFrom("", "evil.example", "[::1]:x"),
    "content-encoding": fc.constantFrom("gzip", "br"),
  },
  { requiredKeys: [] },
);
const param = fc.oneof(
  fc.constantFrom(
    "own",
    "own",
    "\u0000",
    "..",
    ".",
    "%",
    "a/b",
    "null",
    "0",
    "-1",
    "x".repeat(3000),
    "{}",
    "\ud83d\ude00",
  ),
  fc.uuid(),
  fc.string({ unit: "binary", maxLength: 40 }),
);

async function throwAt(
  endpoint: Endpoint,
  person: Visitor,
  thrown: { payload: string | Buffer; headers: object; param: string },
) {
  const own: Record<string, string> = { userId: ann.userId, aliasId, credentialId, keyId, inviteId, accountId };
  const encode = (name: string) =>
    thrown.param === "own" ? (own[name] ?? "") : encodeURIComponent(thrown.param.toWellFormed());
  const url = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encode(name));
  const payload = endpoint.method === "GET" ? undefined : thrown.payload;
  const { status, body: answer } = await person.send({
    method: endpoint.method,
    url,
    payload,
    headers: thrown.headers,
  } as InjectOptions);
  expect(status, `${endpoint.method} ${url}`).toBeLessThan(500);
  if (status < 400) return;
  expect(errorCodes).toContain(answer.code);
  expect(answer.message).toEqual(expect.any(String));
  for (const messages of Object.values(answer.errors ?? {})) {
    expect(Array.isArray(messages) && messages.length > 0).toBe(true);
    for (const message of messages as unknown[]) expect(message).toEqual(expect.any(String));
  }
}

const routes = Object.entries<Endpoint>(everyEndpoint);
/** Calls that delete what other calls need. When tested with a signed-in user, each gets a newly registered user. */
const ending = new Set(["deleteAccount", "logout", "deleteAlias", "deleteEncryptionKey"]);

describe("hostile input never causes a server error", () => {
  it.each(routes)("%s, signed in and not", async (name, endpoint) => {
    const stranger = new Visitor(byInvitation);
    const user = endpoint.access === "admin" ? admin : ann;
    const person = ending.has(name) ? await new Visitor(server).register() : user;
    await fc.assert(
      fc.asyncProperty(body, headers, param, fc.boolean(), async (payload, odd, oddParam, isSignedIn) => {
        const mostlyJson = { "content-type": "application/json", ...odd };
        await throwAt(endpoint, isSignedIn ? person : stranger, { payload, headers: mostlyJson, param: oddParam });
        stranger.cookies.clear();
      }),
      { numRuns: endpoint.body === undefined ? rounds(10, 200) : rounds(40, 800) },
    );
    expect([...server.logged, ...byInvitation.logged]).toEqual([]);
  });

  it.each(routes.filter(([, { access }]) => access === "admin"))("%s is not there for others", async (_, endpoint) => {
    const others = [ann, new Visitor(server)];
    await fc.assert(
      fc.asyncProperty(body, headers, param, fc.constantFrom(...others), async (payload, odd, oddParam, other) => {
        const sent = {
          method: endpoint.method,
          payload: endpoint.method === "GET" ? undefined : payload,
          headers: odd,
        };
        const url = endpoint.path.replace(/:\w+/, encodeURIComponent(oddParam.toWellFormed()));
        const { status, body: answer } = await other.send({ ...sent, url } as InjectOptions);
        expect([status, answer]).toEqual([404, { message: "Not found", code: "not_found" }]);
      }),
      { numRuns: rounds(10, 200) },
    );
  });

  it("on unknown paths and methods", async () => {
    const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
    const segment = fc.oneof(
      param,
      fc.constantFrom("api", "aliases", "assets", "preview", "healthz", "index.html", "a.js"),
    );
    const path = fc
      .array(segment, { maxLength: 5 })
      .map((parts) => `/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`);
    await fc.assert(
      fc.asyncProperty(method, path, headers, async (verb, url, odd) => {
        const { status } = await ann.send({ method: verb, url, headers: odd } as InjectOptions);
        // Pages respond with 503, because the web app is not built for this test server.
        expect(status < 500 || status === 503, `${verb} ${url} ${status}`).toBe(true);
      }),
      { numRuns: rounds(100, 1500) },
    );
    expect(server.logged).toEqual([]);
  });
});
