import { type GoogleFailure, googleFailureCookie } from "@kauke/contract";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { googleIssuer } from "../../core/sign-in/federated-claims.ts";
import { openIdIssuer } from "../../operate/openid-issuer.ts";
import { type Reply, startTestServer, type TestServer, type TestServerOptions, Visitor } from "../test/test-server.ts";

let issuer: FakeIssuer;
let server: TestServer;
let count = 0;

beforeAll(async () => {
  issuer = await FakeIssuer.start();
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});
beforeEach(() => {
  Object.assign(issuer, { userinfo: null, refusal: null, discovery: "ok", isForged: false });
  issuer.claims = somebody();
  server.logged.length = 0;
});

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

const somebody = () => {
  const name = `ann${++count}`;
  return { sub: `subject-${name}`, email: `${name}@people.example`, email_verified: true as unknown };
};
const visitor = (of = server) => new Visitor(of);

const begin = (who: Visitor) => who.send({ method: "GET", url: "/api/auth/google" });

/**
 * Follows the redirect to the issuer, as the browser does.
 * @returns the URI it redirects back to, without the origin
 */
async function consent({ headers }: Reply): Promise<string> {
  const answer = await fetch(String(headers.location), { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return pathname + search;
}

const comeBack = (who: Visitor, url: string) => who.send({ method: "GET", url });

async function signIn(who = visitor()): Promise<{ who: Visitor; reply: Reply }> {
  const reply = await comeBack(who, await consent(await begin(who)));
  return { who, reply };
}

async function userOf(who: Visitor): Promise<any> {
  const { status, body } = await who.call("getSession");
  expect(status).toBe(200);
  return body.user;
}

/** Expects a redirect to `/auth` with this failure in the cookie, and no login session. */
async function expectFailure(who: Visitor, { status, headers }: Reply, failure: GoogleFailure): Promise<void> {
  expect([status, headers.location]).toEqual([302, "/auth#google-login-failed"]);
  expect(who.cookies.get(googleFailureCookie)).toBe(failure);
  expect((await who.call("getSession")).status).toBe(401);
}

describe("signing in through the issuer", () => {
  it("starts with an authorization request with PKCE, state, nonce and the registered redirect URI", async () => {
    const { status, headers } = await begin(visitor());
    const url = new URL(String(headers.location));
    expect([status, url.origin + url.pathname]).toEqual([302, `${issuer.url}/authorize`]);
    expect(headers["cache-control"]).toBe("no-store");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "kauke",
      redirect_uri: "http://localhost:3000/api/auth/google/callback",
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it("redirects back to the public URL, or while that is unset, to the host name that the browser used", async () => {
    const uriAt = async (who: Visitor, host: string) => {
      const { headers } = await who.send({ method: "GET", url: "/api/auth/google", headers: { host } });
      return new URL(String(headers.location)).searchParams.get("redirect_uri");
    };
    expect(await uriAt(visitor(), "127.0.0.1:3000")).toBe("http://127.0.0.1:3000/api/auth/google/callback");
    expect(await uriAt(visitor(), "evil.example")).toBe("http://localhost:3000/api/auth/google/callback");
    const config = { publicUrl: new URL("https://kauke.example"), publicUrlGiven: true };
    const open = await startServer({ store: server.store, config });
    expect(await uriAt(visitor(open), "evil.example")).toBe("https://kauke.example/api/auth/google/callback");
    await open.close();
  });

  it("binds the flow to the browser by an HttpOnly cookie, with the __Host- prefix over https", async () => {
    const { headers } = await begin(visitor());
    expect(String(headers["set-cookie"])).toMatch(/^google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const config = { publicUrl: new URL("https://kauke.example"), publicUrlGiven: true };
    const open = await startServer({ store: server.store, config });
    const guarded = await begin(visitor(open));
    expect(String(guarded.headers["set-cookie"])).toMatch(
      /^__Host-google=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    await open.close();
  });

  it("creates an account from the claims and redirects to the dashboard, signed in", async () => {
    Object.assign(issuer.claims, { given_name: "Ann", family_name: "Petraitė", picture: "https://p.example/a.png" });
    const { who, reply } = await signIn();
    expect([reply.status, reply.headers.location]).toEqual([302, "/dashboard"]);
    const user = await userOf(who);
    expect(user).toMatchObject({
      email: issuer.claims.email,
      authMethod: "google",
      firstName: "Ann",
      lastName: "Petraitė",
      profileImageUrl: "https://p.example/a.png",
    });
    const kept = await server.store.users.find(user.id);
    expect(kept).toMatchObject({ googleId: issuer.claims.sub, passwordHash: null });
    expect(who.cookies.has("google")).toBe(false);
  });

  it.each([
    ["the issuer hosts", "people.example", true],
    ["the issuer only checked once", undefined, false],
  ])("an address that %s (hd %s) is confirmed at once: %s", async (_, hd, isConfirmed) => {
    issuer.claims = { ...issuer.claims, ...(hd !== undefined && { hd }) };
    const { id } = await userOf((await signIn()).who);
    const { emailConfirmedAt } = (await server.store.users.find(id)) ?? {};
    expect(emailConfirmedAt).toEqual(isConfirmed ? server.clock.now() : null);
  });

  it("counts in the metrics as a sign-in, unless it fails", async () => {
    const counted = () => server.counted.filter((it) => it.includes("login_success")).length;
    const before = counted();
    await signIn();
    expect(counted()).toBe(before + 1);
    issuer.refusal = "access_denied";
    await signIn();
    expect(counted()).toBe(before + 1);
  });

  it("finds the same account the second time, in another browser", async () => {
    const first = await userOf((await signIn()).who);
    expect((await userOf((await signIn()).who)).id).toBe(first.id);
  });

  it("opens a new session in a signed-in browser and ends its old one", async () => {
    const { who } = await signIn();
    const former = who.cookies.get("sid");
    await signIn(who);
    expect(who.cookies.get("sid")).not.toBe(former);
    expect((await visitor().call("getSession", { headers: { cookie: `sid=${former}` } })).status).toBe(401);
  });

  it("leaves the account unchanged when address, verification or names have changed at the issuer", async () => {
    const before = await userOf((await signIn()).who);
    Object.assign(issuer.claims, { email: "new@people.example", email_verified: false, given_name: "Other" });
    expect(await userOf((await signIn()).who)).toEqual(before);
  });

  it("reads the address from the userinfo endpoint if the ID token has none", async () => {
    const { sub, email } = issuer.claims;
    issuer.claims = { sub };
    issuer.userinfo = { email, email_verified: true };
    expect((await userOf((await signIn()).who)).email).toBe(email);
  });

  it("creates one account for two concurrent callbacks", async () => {
    const both = [visitor(), visitor()];
    const ways = await Promise.all(both.map(async (who) => consent(await begin(who))));
    await Promise.all(both.map((who, index) => comeBack(who, ways[index] as string)));
    const [one, two] = await Promise.all(both.map(userOf));
    expect(one.id).toBe(two.id);
  });

  it("lets the subject and address of a deleted account register again", async () => {
    const { who } = await signIn();
    const first = await userOf(who);
    await who.call("deleteAccount");
    const second = await userOf((await signIn()).who);
    expect([second.email, second.id === first.id]).toEqual([first.email, false]);
  });

  it.each([
    [["client_secret_basic"], "header"],
    [undefined, "header"],
    [["client_secret_basic", "client_secret_post"], "body"],
    [["none"], "body"],
  ] as const)("authenticates at the issuer by a supported method: %j", async (methods, place) => {
    issuer.secretMethods = methods === undefined ? undefined : [...methods];
    server.clock.advance(3600);
    expect((await signIn()).reply.headers.location).toBe("/dashboard");
    expect(issuer.secretsIn.at(-1)).toBe(place);
  });

  it("reads the discovery document once an hour", async () => {
    const asked = () => issuer.answered.filter(({ path }) => path.startsWith("/.well-known/")).length;
    await begin(visitor());
    const before = asked();
    await signIn();
    expect(asked()).toBe(before);
    server.clock.advance(3600);
    await begin(visitor());
    expect(asked()).toBe(before + 1);
  });

  it("is not started by another site's link, but by a typed URL or our own link", async () => {
    const from = async (site: string) => {
      const headers = { "sec-fetch-site": site };
      const reply = await visitor().send({ method: "GET", url: "/api/auth/google", headers });
      return [String(reply.headers.location).startsWith(issuer.url), reply.headers["set-cookie"] !== undefined];
    };
    expect(await from("cross-site")).toEqual([false, false]);
    for (const site of ["none", "same-origin", "same-site"]) expect(await from(site)).toEqual([true, true]);
  });

  it("is described in the OpenAPI document", async () => {
    const { body } = await visitor().send({ method: "GET", url: "/api/openapi.json" });
    for (const path of ["/api/auth/google", "/api/auth/google/callback"])
      expect(Object.keys(body.paths[path].get.responses)).toEqual(["302"]);
  });

  it("does not start with a HEAD request", async () => {
    const { status, headers } = await visitor().send({ method: "HEAD", url: "/api/auth/google" });
    expect([status, headers["set-cookie"]]).toEqual([404, undefined]);
  });
});

describe("an address that an account already has", () => {
  it("is linked when the account has confirmed it and the issuer hosts it, and its password stays valid", async () => {
    const { email } = issuer.claims as { email: string };
    const ann = await visitor().register(email);
    await confirm(ann.userId, email);
    const stranger = await signIn();
    await expectFailure(stranger.who, stranger.reply, "taken");
    issuer.claims = { ...issuer.claims, hd: "people.example" };
    const { who } = await signIn();
    expect((await userOf(who)).id).toBe(ann.userId);
    const again = await visitor().call("login", { body: { email, password: "correct horse" } });
    expect([again.status, again.body.user.id]).toEqual([200, ann.userId]);
    issuer.claims = { sub: issuer.claims.sub };
    expect((await userOf((await signIn()).who)).id).toBe(ann.userId);
  });

  it("is refused when the account has not confirmed it, so that nobody enters another's account", async () => {
    const { email } = issuer.claims as { email: string };
    const mallory = await visitor().register(email.toUpperCase());
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "exists");
    expect((await server.store.users.find(mallory.userId))?.googleId).toBeNull();
  });

  it("is refused when it belongs to another subject's account", async () => {
    await signIn();
    issuer.claims = { ...issuer.claims, sub: "somebody-else" };
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "taken");
  });

  it.each([[false], [undefined], ["true"]])("is ignored when email_verified is %j", async (email_verified) => {
    const { email } = issuer.claims as { email: string };
    const ann = await visitor().register(email);
    await confirm(ann.userId, email);
    issuer.claims = { ...issuer.claims, email_verified };
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "unverified");
  });

  /** Confirms the account's address directly in the store, as the link in a confirmation message would. */
  async function confirm(userId: string, email: string): Promise<void> {
    const user = await server.store.users.find(userId);
    if (user === null) throw new Error("no such account");
    await server.store.users.delete(userId);
    await server.store.users.insert({ ...user, email, emailConfirmedAt: server.clock.now() });
  }
});

describe("failures that redirect to /auth without a session", () => {
  it("a denied consent", async () => {
    issuer.refusal = "access_denied";
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "denied");
    expect(server.logged).toEqual([]);
    expect(String(reply.headers["set-cookie"])).toContain(
      "google-login-failed=denied; Max-Age=60; Path=/; SameSite=Lax",
    );
  });

  it("any other error of the issuer", async () => {
    issuer.refusal = "server_error";
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "failed");
  });

  it.each([
    ["another", (query: URLSearchParams) => query.set("state", "A".repeat(43))],
    ["no", (query: URLSearchParams) => query.delete("state")],
    ["two", (query: URLSearchParams) => query.append("state", "A".repeat(43))],
  ])("%s state", async (_, change) => {
    const who = visitor();
    const [path = "", search = ""] = (await consent(await begin(who))).split("?");
    const query = new URLSearchParams(search);
    change(query);
    const reply = await comeBack(who, `${path}?${query.toString()}`);
    expect(reply.headers.location).toBe("/auth#google-login-failed");
    expect((await who.call("getSession")).status).toBe(401);
  });

  it("another browser's cookie, or none", async () => {
    const [ann, mallory] = [visitor(), visitor()];
    await begin(mallory);
    const way = await consent(await begin(ann));
    await expectFailure(mallory, await comeBack(mallory, way), "expired");
    const nobody = visitor();
    await expectFailure(nobody, await comeBack(nobody, way), "expired");
    expect((await comeBack(ann, way)).headers.location).toBe("/dashboard");
  });

  it("a replayed callback", async () => {
    const who = visitor();
    const begun = await begin(who);
    const cookie = `google=${who.cookies.get("google")}`;
    const way = await consent(begun);
    expect((await comeBack(who, way)).headers.location).toBe("/dashboard");
    const thief = visitor();
    const again = await thief.send({ method: "GET", url: way, headers: { cookie } });
    await expectFailure(thief, again, "expired");
  });

  it("a sign-in that took longer than ten minutes", async () => {
    const [slow, quick] = [visitor(), visitor()];
    const way = await consent(await begin(slow));
    server.clock.advance(1);
    const quickWay = await consent(await begin(quick));
    server.clock.advance(599);
    await expectFailure(slow, await comeBack(slow, way), "expired");
    expect((await comeBack(quick, quickWay)).headers.location).toBe("/dashboard");
  });

  it("a code requested with another verifier, which the issuer refuses", async () => {
    const [ann, mallory] = [visitor(), visitor()];
    const malloryCode = new URLSearchParams((await consent(await begin(mallory))).split("?")[1]).get("code");
    const way = new URL(await consent(await begin(ann)), "http://localhost");
    way.searchParams.set("code", malloryCode ?? "");
    const reply = await comeBack(ann, way.pathname + way.search);
    await expectFailure(ann, reply, "failed");
    expect(issuer.answered.at(-1)).toEqual({ path: "/token", status: 400 });
  });

  it("an unknown code", async () => {
    const who = visitor();
    const way = new URL(await consent(await begin(who)), "http://localhost");
    way.searchParams.set("code", "made-up");
    await expectFailure(who, await comeBack(who, way.pathname + way.search), "failed");
  });

  const past = Math.floor(Date.now() / 1000) - 3600;
  it.each<[string, Record<string, unknown>]>([
    ["another nonce", { nonce: "A".repeat(43) }],
    ["no nonce", { nonce: undefined }],
    ["another audience", { aud: "another-client" }],
    ["another issuer", { iss: "https://issuer.example" }],
    ["an expiry in the past", { iat: past - 600, exp: past }],
    ["no subject", { sub: undefined }],
    ["a subject of 256 characters", { sub: "x".repeat(256) }],
  ])("an ID token with %s", async (_, change) => {
    Object.assign(issuer.claims, change);
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "failed");
    expect(server.logged).toEqual([{ event: "google_sign_in_failed", fields: { code: "answer_invalid" } }]);
  });

  it("an ID token with another issuer's signature", async () => {
    issuer.isForged = true;
    const { who, reply } = await signIn();
    await expectFailure(who, reply, "failed");
  });

  it.each(["down", "other"] as const)(
    "a discovery document that is %s; the next attempt reads it again",
    async (discovery) => {
      server.clock.advance(3601);
      issuer.discovery = discovery;
      const who = visitor();
      await expectFailure(who, await begin(who), "unreachable");
      expect(server.logged).toEqual([{ event: "google_sign_in_failed", fields: { code: "unreachable" } }]);
      issuer.discovery = "ok";
      expect((await signIn()).reply.headers.location).toBe("/dashboard");
    },
  );

  it("a discovery document that times out", async () => {
    const hasty = await startServer({ store: server.store, clock: server.clock }, { timeoutSeconds: 0.2 });
    issuer.discovery = "silent";
    const who = visitor(hasty);
    await expectFailure(who, await begin(who), "unreachable");
    await hasty.close();
  });

  it("an issuer that became unreachable meanwhile", async () => {
    const gone = await FakeIssuer.start();
    const own = await startServer({ store: server.store, clock: server.clock }, { from: gone });
    const who = visitor(own);
    const way = await consent(await begin(who));
    await gone.close();
    await expectFailure(who, await comeBack(who, way), "unreachable");
    await own.close();
  });

  it("the sixty-first attempt from one network in ten minutes", async () => {
    const busy = visitor();
    for (let tries = 0; tries < 60; tries++) expect((await begin(busy)).headers.location).toContain(issuer.url);
    await expectFailure(busy, await begin(busy), "limited");
    server.clock.advance(600);
    expect((await begin(busy)).headers.location).toContain(issuer.url);
  });

  it("a server without federated sign-in", async () => {
    const without = await startTestServer({ store: server.store });
    for (const url of ["/api/auth/google", "/api/auth/google/callback?code=x&state=y"]) {
      const who = visitor(without);
      await expectFailure(who, await comeBack(who, url), "off");
    }
    await without.close();
  });

  it("a callback without a flow, which is not logged", async () => {
    for (const query of [
      "",
      "?",
      "?code=x",
      `?state=${"A".repeat(43)}`,
      "?error=access_denied",
      "?state=%00&code=%ff",
    ]) {
      const who = visitor();
      await expectFailure(who, await comeBack(who, `/api/auth/google/callback${query}`), "expired");
    }
    expect(server.logged).toEqual([]);
  });
});

describe("a subject", () => {
  it("is a different person at another issuer", async () => {
    const subject = String(issuer.claims.sub);
    const { id } = await userOf((await signIn()).who);
    const { users } = server.store;
    expect((await users.findByGoogle({ issuer: issuer.url, subject }))?.id).toBe(id);
    expect(await users.findByGoogle({ issuer: googleIssuer, subject })).toBeNull();
  });
});
