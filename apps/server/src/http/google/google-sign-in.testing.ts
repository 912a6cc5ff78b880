/** A test server that uses the fake issuer, and visitors that sign in through it like browsers. */
import { type GoogleFailure, googleFailureCookie } from "@kauke/contract";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { afterAll, beforeEach, expect } from "vitest";
import { openIdIssuer } from "../../platform/openid-issuer.ts";
import { type Reply, startTestServer, type TestServer, type TestServerOptions, Visitor } from "../test/test-server.ts";

let count = 0;

const somebody = () => {
  const name = `ann${++count}`;
  return { sub: `subject-${name}`, email: `${name}@people.example`, email_verified: true as unknown };
};

/**
 * Starts an issuer and a server for all tests of a file, and closes them after the last of them. Before each test the
 * issuer works and vouches for a new person. Called at the top level of the file.
 */
export async function setUpGoogleSignIn() {
  const issuer = await FakeIssuer.start();

  /** Starts a server that uses the fake issuer. */
  async function startServer(
    options: TestServerOptions = {},
    { from = issuer, timeoutSeconds = 10 } = {},
  ): Promise<TestServer> {
    const settings = { clientId: "kauke", clientSecret: "kauke-client-secret", issuer: from.url };
    // The issuer needs a clock before the server that provides this clock has been started.
    const clock = { now: () => started.clock.now() };
    const federatedIssuer = openIdIssuer(settings, { clock, timeoutSeconds });
    const started: TestServer = await startTestServer({ federatedIssuer, ...options });
    return started;
  }

  const server = await startServer();

  afterAll(async () => {
    await server.close();
    await issuer.close();
  });
  beforeEach(() => {
    Object.assign(issuer, { userinfo: null, refusal: null, discovery: "ok", isForged: false });
    issuer.claims = somebody();
    server.logged.length = 0;
  });

  const visitor = (of = server) => new Visitor(of);

  async function signIn(who = visitor()): Promise<{ who: Visitor; reply: Reply }> {
    const reply = await comeBack(who, await consent(await begin(who)));
    return { who, reply };
  }

  return { issuer, server, startServer, visitor, signIn };
}

export const begin = (who: Visitor) => who.send({ method: "GET", url: "/api/auth/google" });

/**
 * Follows the redirect to the issuer, as the browser does.
 * @returns the URI it redirects back to, without the origin
 */
export async function consent({ headers }: Reply): Promise<string> {
  const answer = await fetch(String(headers.location), { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return pathname + search;
}

export const comeBack = (who: Visitor, url: string) => who.send({ method: "GET", url });

export async function userOf(who: Visitor): Promise<any> {
  const { status, body } = await who.call("getSession");
  expect(status).toBe(200);
  return body.user;
}

/** Expects a redirect to `/auth` with this failure in the cookie, and no login session. */
export async function expectFailure(who: Visitor, { status, headers }: Reply, failure: GoogleFailure): Promise<void> {
  expect([status, headers.location]).toEqual([302, "/auth#google-login-failed"]);
  expect(who.cookies.get(googleFailureCookie)).toBe(failure);
  expect((await who.call("getSession")).status).toBe(401);
}
