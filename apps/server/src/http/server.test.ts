import { type EndpointName, endpoints } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentSecurityPolicy } from "./response/security-headers.ts";
import { startTestServer, type TestServer, Visitor } from "./test/test-server.ts";

let server: TestServer;
let secure: TestServer;
let ready = true;
let isDatabaseDown = false;
beforeAll(async () => {
  server = await startTestServer({
    isReady: () => ready,
    isOutage: () => isDatabaseDown,
    extraRoutes: [
      (app) =>
        void app.get("/api/broken", () => {
          throw new TypeError("the address ann@example.org can't be read");
        }),
    ],
  });
  const config = { publicUrl: new URL("https://kauke.example"), publicUrlGiven: true };
  secure = await startTestServer({ store: server.store, config });
});
afterAll(async () => {
  await secure.close();
  await server.close();
});

const ask = (options: Parameters<Visitor["send"]>[0]) => new Visitor(server).send(options);
const account = { email: "ann@example.org", password: "correct horse" };

describe("every response", () => {
  const policy =
    "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; " +
    "img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
    "manifest-src 'self'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types app-worker mail-frame";

  it.each(["/", "/api/domains", "/api/unknown", "/healthz", "/assets/app.js", "/%zz", "/nothing/here"])(
    "carries the security headers: %s",
    async (url) => {
      const { headers } = await ask({ method: "GET", url });
      expect(headers).toMatchObject({
        "content-security-policy": policy,
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "permissions-policy": expect.stringContaining("camera=()"),
      });
      expect(headers["strict-transport-security"]).toBeUndefined();
      expect(headers.server ?? headers["x-powered-by"]).toBeUndefined();
    },
  );

  it("has the exported Content Security Policy", () => {
    expect(contentSecurityPolicy).toBe(policy);
  });

  it("of the API must not be cached", async () => {
    for (const url of ["/api/domains", "/api/unknown", "/api/auth/session", "/api/openapi.json", "/healthz"])
      expect((await ask({ method: "GET", url })).headers["cache-control"], url).toBe("no-store");
  });

  it("over https has HSTS, and its cookies are bound to the host", async () => {
    const reply = await new Visitor(secure).call("register", { body: account });
    expect(reply.headers["strict-transport-security"]).toBe("max-age=31536000");
    expect(reply.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-sid=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Host-browser=[\w-]{64}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  it("is counted by its status class", async () => {
    await ask({ method: "GET", url: "/api/domains" });
    expect(server.counted).toContain('kauke_http_requests_total {"status":"2xx"}');
  });
});

describe("a write sent by another site", () => {
  it.each([
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
  ])("is refused: %o", async (headers) => {
    for (const name of ["register", "logout", "deleteAccount"] as const) {
      const { status, body } = await new Visitor(server).call(name, { headers, body: account });
      expect([status, body.code]).toEqual([403, "cross_site"]);
    }
  });

  it.each(["http://localhost:3000", "http://127.0.0.1:3000"])("does not include requests from %s", async (origin) => {
    expect((await new Visitor(server).call("logout", { headers: { origin } })).status).toBe(200);
  });

  it("does not include reads", async () => {
    expect(
      (await new Visitor(server).call("listDomains", { headers: { "sec-fetch-site": "cross-site" } })).status,
    ).toBe(200);
  });
});

describe("a body", () => {
  const post = (payload: string | Buffer, type?: string) =>
    ask({
      method: "POST",
      url: "/api/auth/login",
      payload,
      headers: type === undefined ? {} : { "content-type": type },
    });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "nonsense",
    undefined,
  ])("of type %s is refused with 415", async (type) => {
    const { status, body } = await post(JSON.stringify(account), type);
    expect([status, body.code]).toEqual([415, "not_json"]);
  });

  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "of type %s is read",
    async (type) => {
      expect((await post(JSON.stringify({}), type)).body.errors).toHaveProperty("password");
    },
  );

  it.each([
    ["cut off", '{"email": "a'],
    ["text after it", "{} {}"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["reaching for the prototype", '{"__proto__": {"email": "a@b.example"}}'],
    ["reaching for it another way", '{"constructor": {"prototype": {"email": 1}}}'],
  ])("that is not JSON is refused: %s", async (_, payload) => {
    const { status, body } = await post(payload, "application/json");
    expect([status, body]).toEqual([400, { code: "invalid", message: "The body is not valid JSON." }]);
  });

  it.each(["[]", '"text"', "1", "true"])("that is JSON but not an object is refused: %s", async (payload) => {
    const { status, body } = await post(payload, "application/json");
    expect([status, body]).toEqual([400, { code: "invalid", message: "The body must be a JSON object" }]);
  });

  it("over 64 KiB is refused with 413, even without Content-Length", async () => {
    const large = JSON.stringify({ email: "x".repeat(65_536), password: "x" });
    const { status, body } = await post(large, "application/json");
    expect([status, body.code]).toEqual([413, "too_large"]);
  });

  it("nested 65,000 levels deep is refused as invalid", async () => {
    const { status } = await post("[".repeat(32_000) + "]".repeat(32_000), "application/json");
    expect(status).toBe(400);
  });
});

describe("an unknown path", () => {
  it.each(["/api", "/api/", "/api/unknown", "/API/domains", "/preview/api/messages", "/api/aliases/x/y/z"])(
    "gets a 404 in JSON: %s",
    async (url) => {
      const { status, body } = await ask({ method: "GET", url });
      expect([status, body]).toEqual([404, { code: "not_found", message: "Not found" }]);
    },
  );

  it("gets a 404 in JSON for every other method", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const)
      for (const url of ["/api/domains", "/dashboard", "/"]) {
        const { status, body } = await ask({ method, url });
        expect([method, url, status, body.code]).toEqual([method, url, 404, "not_found"]);
      }
  });

  it("may be one that cannot be decoded", async () => {
    for (const url of ["/%zz", "/api/aliases/%c3%28"]) {
      const { status, body } = await ask({ method: "GET", url });
      expect([status, body.code]).toEqual([400, "invalid"]);
    }
  });
});

describe("an unexpected error", () => {
  it("becomes a fixed text with an incident id, and its message is neither returned nor logged", async () => {
    const { status, body } = await ask({ method: "GET", url: "/api/broken" });
    const entry = server.logged.find(({ event }) => event === "http_unexpected");
    expect([status, body.code]).toEqual([500, "internal"]);
    expect(body.message).toContain(entry?.fields?.incident);
    expect(entry?.fields).toMatchObject({ route: "/api/broken", method: "GET" });
    expect(entry?.fields?.stack).toMatch(/^TypeError\n {2}\S* ?apps\/server\/src\/http\/server\.test\.ts:\d+:\d+/);
    expect(JSON.stringify([body, server.logged])).not.toContain("ann@example.org");
  });
});

describe("a database that cannot serve", () => {
  it("becomes 503, without an incident and without the error's message", async () => {
    isDatabaseDown = true;
    const { status, body } = await ask({ method: "GET", url: "/api/broken" });
    isDatabaseDown = false;
    expect([status, body.code]).toEqual([503, "unavailable"]);
    const entry = server.logged.find(({ event }) => event === "http_database_outage");
    expect(entry?.fields).toEqual({ route: "/api/broken", method: "GET" });
    expect(JSON.stringify([body, server.logged])).not.toContain("ann@example.org");
  });
});

describe("limits by client address behind a proxy", () => {
  const limits = new Map([["register", { max: 1, windowSeconds: 60 }]]);
  const registerAs = async (proxied: TestServer, forwardedFor: string, proxy = "10.9.9.9") => {
    const visitor = new Visitor(proxied);
    visitor.address = proxy;
    const body = { email: `p${Math.random()}@example.org`, password: "correct horse" };
    return (await visitor.call("register", { body, headers: { "x-forwarded-for": forwardedFor } })).status;
  };

  it("count the client that a trusted proxy names", async () => {
    const proxied = await startTestServer({ store: server.store, config: { limits, trustedProxies: ["10.0.0.0/8"] } });
    expect(await registerAs(proxied, "192.0.2.1")).toBe(201);
    expect(await registerAs(proxied, "192.0.2.2")).toBe(201);
    expect(await registerAs(proxied, "192.0.2.1")).toBe(429);
    expect(await registerAs(proxied, "forged, 192.0.2.1")).toBe(429);
    expect(await registerAs(proxied, "2001:db8::1")).toBe(201);
    expect(await registerAs(proxied, "2001:db8::2")).toBe(429);
    await proxied.close();
  });

  it("count each client of its own however the proxy writes its address, and say once when it can't be read", async () => {
    const proxied = await startTestServer({ store: server.store, config: { limits, trustedProxies: ["10.0.0.0/8"] } });
    const proxy = "10.7.7.7";
    const unreadable = () => proxied.logged.filter(({ event }) => event === "forwarded_for_unreadable");
    const fields = [
      "203.0.113.7:40001",
      "198.51.100.9:50123",
      "[2001:db8:5::9]:50123",
      "[2001:db8:1::9]",
      '"198.51.100.14"',
      '"[2001:db8:2::9]:443"',
      "198.51.100.15 , 10.1.1.1:8080",
      "unknown, 198.51.100.16",
    ];
    for (const field of fields) expect([field, await registerAs(proxied, field, proxy)]).toEqual([field, 201]);
    for (const again of ["203.0.113.7:40002", "2001:db8:5::a", "198.51.100.14", "[2001:db8:2::1]", "198.51.100.15:1"])
      expect([again, await registerAs(proxied, again, proxy)]).toEqual([again, 429]);
    expect(unreadable()).toEqual([]);
    // The address that the client itself may have written is never taken in place of an unreadable one.
    const statuses = [];
    for (const field of ["unknown", "198.51.100.17, unknown", "198.51.100.18, _hidden"])
      statuses.push(await registerAs(proxied, field, proxy));
    expect(statuses).toEqual([201, 429, 429]);
    expect(unreadable()).toEqual([{ event: "forwarded_for_unreadable", fields: undefined }]);
    await proxied.close();
  });

  it("ignore forwarding fields of other clients", async () => {
    const direct = await startTestServer({ store: server.store, config: { limits, trustedProxies: ["192.0.2.0/24"] } });
    expect(await registerAs(direct, "198.51.100.1")).toBe(201);
    expect(await registerAs(direct, "198.51.100.2")).toBe(429);
    await direct.close();
  });
});

describe("/healthz", () => {
  it("is 200 while every service accepts work, and 503 otherwise", async () => {
    expect(await ask({ method: "GET", url: "/healthz" })).toMatchObject({ status: 200, body: { status: "ok" } });
    ready = false;
    expect((await ask({ method: "GET", url: "/healthz" })).status).toBe(503);
    ready = true;
    expect((await ask({ method: "HEAD", url: "/healthz" })).status).toBe(200);
  });
});

describe("/api/openapi.json", () => {
  it("describes every call with its response and its errors", async () => {
    const { status, body } = await ask({ method: "GET", url: "/api/openapi.json" });
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    for (const name of Object.keys(endpoints) as EndpointName[]) {
      const { path, method } = endpoints[name];
      const operation = body.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      expect(Object.keys(operation.responses)).toContain(String(endpoints[name].status));
      expect(operation.responses[500].content["application/json"].schema.$ref).toBe("#/components/schemas/Problem");
    }
    const create = body.paths["/api/aliases/{userId}"].post;
    expect(Object.keys(create.responses)).toEqual([
      "201",
      "400",
      "401",
      "403",
      "404",
      "409",
      "413",
      "415",
      "429",
      "500",
    ]);
    expect(create.requestBody.content["application/json"].schema.required).toEqual(["alias", "domain", "forwardTo"]);
    expect(body.components.securitySchemes.loginSession.name).toBe("sid");
  });
});
