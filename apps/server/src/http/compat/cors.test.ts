/** CORS over every route of the server: only the paths of calls compatible with other products allow other origins. */
import { endpoints } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../test/test-server.ts";

let server: TestServer;
let app: FastifyInstance;
beforeAll(async () => {
  server = await startTestServer({
    config: { limits: "off" },
    extraRoutes: [
      (extra) => {
        extra.post("/api/v1/broken", async () => {
          throw new Error("broken");
        });
      },
    ],
  });
  app = server.app;
});
afterAll(() => server.close());

const foreign = { origin: "chrome-extension://abcdefghijklmnop", "sec-fetch-site": "cross-site" };
const asked = {
  ...foreign,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization",
};

const ownUrls = [
  ...new Set(
    Object.values(endpoints).map(({ path }) => path.replaceAll(/:\w+/g, "00000000-0000-4000-8000-000000000000")),
  ),
  "/",
  "/dashboard",
  "/nowhere",
  "/api/nowhere",
  "/api/openapi.json",
  "/healthz",
  "/assets/x.js",
  "/robots.txt",
  "/preview",
  "/preview/api/messages",
  "/api/auth/google",
  "/api/auth/google/callback",
  "/%",
  "/api/v1",
  "/v1",
  "/api/v1x/aliases",
  "/v10/account",
  "/api/aliases/random/new",
  "/api/auth/mfa",
  "/x/api/v1/aliases",
  "/API/v1/x",
];

const corsOf = (headers: object) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("a path of Kauke's own API", () => {
  it.each(ownUrls)("%s answers no other origin", async (url) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const) {
      for (const headers of [asked, { ...asked, authorization: "Bearer x" }, { ...asked, authentication: "x" }]) {
        const { headers: given, statusCode } = await app.inject({ method, url, headers });
        expect([method, corsOf(given)]).toEqual([method, []]);
        if (method === "OPTIONS") expect(statusCode).not.toBe(204);
      }
    }
  });
});

describe.each([
  "/api/v1/aliases",
  "//api/v1/aliases/?page[size]=1",
  "/v1/domains/kauke.test/aliases",
  "/api/alias/random/new",
  "/api/v1/broken",
  "/api/v1/%",
  "/v1/nowhere",
])("%s", (url) => {
  it("answers a preflight", async () => {
    const { statusCode, headers, body } = await app.inject({ method: "OPTIONS", url, headers: asked });
    if (url.endsWith("%")) return expect(headers["access-control-allow-origin"]).toBe("*");
    expect([statusCode, body]).toEqual([204, ""]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers":
        "Authorization, Authentication, Content-Type, Accept, X-Requested-With, X-Requested-From, X-CSRF-TOKEN, X-Sl-Allowcookies",
      "access-control-max-age": "86400",
      "x-content-type-options": "nosniff",
    });
    expect(corsOf(headers)).toHaveLength(4);
  });

  it("answers other origins without credentials, also with an error", async () => {
    for (const method of ["GET", "POST", "DELETE"] as const) {
      const { statusCode, headers } = await app.inject({ method, url, headers: { ...foreign, cookie: "sid=x" } });
      expect(statusCode).toBeGreaterThanOrEqual(400);
      expect(corsOf(headers)).toEqual(["access-control-allow-origin"]);
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["content-type"]).toMatch(/^application\/json/);
      expect(headers.location).toBeUndefined();
    }
  });
});

it("a browser's cookie is never read on a shared path", async () => {
  const seen: unknown[] = [];
  const spied = await startTestServer({
    store: server.store,
    extraRoutes: [
      (extra) => extra.get("/api/v1/seen", async ({ headers, cookies }) => seen.push(headers.cookie, cookies)),
    ],
  });
  try {
    await spied.app.inject({ url: "/api/v1/seen", headers: { cookie: "sid=x" } });
    expect(seen).toEqual([undefined, {}]);
  } finally {
    await spied.close();
  }
});
