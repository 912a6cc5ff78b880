import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { mtaStsRoute } from "./serve-site.ts";

const policy = "version: STSv1\r\nmode: enforce\r\nmx: mail.kauke.test\r\nmax_age: 604800\r\n";
const withdrawn = "version: STSv1\r\nmode: none\r\n";
const policyOfAccount = (host: string) => (host === "mta-sts.own.example" ? withdrawn : null);
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    config: { trustedProxies: ["10.9.9.9"] },
    extraRoutes: [
      (app) => mtaStsRoute(app, { domains: ["kauke.test", "slapta.test"], policy: () => policy, policyOfAccount }),
    ],
  });
});
afterAll(() => server.close());

function ask(headers: Record<string, string>, remoteAddress = "192.0.2.7") {
  return new Visitor(server).send({ method: "GET", url: "/.well-known/mta-sts.txt", headers, remoteAddress });
}

describe("the MTA-STS policy", () => {
  it.each(["mta-sts.kauke.test", "mta-sts.slapta.test:443", "MTA-STS.Kauke.Test."])(
    "is served under the policy host of each of our domains: %s",
    async (host) => {
      const { status, body, headers } = await ask({ host });
      expect([status, body]).toEqual([200, policy]);
      expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    },
  );

  it("is another one under the policy host of an account's domain", async () => {
    const { status, body } = await ask({ host: "MTA-STS.own.example." });
    expect([status, body]).toEqual([200, withdrawn]);
  });

  it("is all that there is under an account's policy host", async () => {
    for (const url of ["/", "/login", "/api/config", "/assets/x.js"]) {
      const { status } = await new Visitor(server).send({
        method: "GET",
        url,
        headers: { host: "mta-sts.own.example" },
      });
      expect([url, status]).toEqual([url, 404]);
    }
  });

  it("of an unknown host has the bytes of an unknown path", async () => {
    const { status, body } = await ask({ host: "mta-sts.nobody.example" });
    const unknown = await new Visitor(server).send({ method: "GET", url: "/.well-known/unknown.txt" });
    expect([status, body]).toEqual([unknown.status, unknown.body]);
  });

  it.each(["kauke.test", "mta-sts.other.test", "mta-sts.kauke.test.other.test", "localhost"])(
    "is not served under any other name: %s",
    async (host) => {
      const { status, body } = await ask({ host });
      expect([status, String(body).includes("STSv1")]).toEqual([404, false]);
    },
  );

  it("uses the host name that a trusted proxy forwards, and no other client's", async () => {
    const headers = { host: "127.0.0.1:3000", "x-forwarded-host": "mta-sts.kauke.test" };
    expect((await ask(headers, "10.9.9.9")).status).toBe(200);
    expect((await ask(headers)).status).toBe(404);
  });
});
