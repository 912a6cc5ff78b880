/**
 * Signing in through the issuer, and which account its claims lead to. Sign-ins that fail are in
 * sign-in-failures.test.ts.
 */
import { describe, expect, it } from "vitest";
import { googleIssuer } from "../../core/sign-in/federated-issuer.ts";
import type { Visitor } from "../test/test-server.ts";
import { begin, comeBack, consent, expectFailure, setUpGoogleSignIn, userOf } from "./google-sign-in.testing.ts";

const { issuer, server, startServer, visitor, signIn } = await setUpGoogleSignIn();

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

describe("a subject", () => {
  it("is a different person at another issuer", async () => {
    const subject = String(issuer.claims.sub);
    const { id } = await userOf((await signIn()).who);
    const { users } = server.store;
    expect((await users.findByGoogle({ issuer: issuer.url, subject }))?.id).toBe(id);
    expect(await users.findByGoogle({ issuer: googleIssuer, subject })).toBeNull();
  });
});

describe("returning to the page on which the sign-in was started", () => {
  const signInFrom = async (returnTo: string) => {
    const who = visitor();
    const begun = await who.send({ method: "GET", url: `/api/auth/google?returnTo=${encodeURIComponent(returnTo)}` });
    return { who, reply: await comeBack(who, await consent(begun)) };
  };

  it.each(["/settings", "/move", "/compose", "/decrypt", "/dashboard"])("%s is returned to", async (path) => {
    const { reply } = await signInFrom(path);
    expect([reply.status, reply.headers.location]).toEqual([302, path]);
  });

  it.each([
    "https://evil.example/settings",
    "//evil.example",
    "/\\evil.example",
    "/settings/../../evil",
    "/settings?next=//evil.example",
    "/settings\r\nSet-Cookie: sid=1",
    "/auth",
    "/api/account/export",
    "__proto__",
    "",
  ])("anything but the path of a page for signed-in users leads to the dashboard: %j", async (path) => {
    const { who, reply } = await signInFrom(path);
    expect([reply.status, reply.headers.location]).toEqual([302, "/dashboard"]);
    expect((await who.call("getSession")).status).toBe(200);
  });

  it("a parameter given twice leads to the dashboard, and one of the issuer's redirect is ignored", async () => {
    const who = visitor();
    const begun = await who.send({ method: "GET", url: "/api/auth/google?returnTo=/settings&returnTo=/move" });
    const back = await consent(begun);
    const reply = await comeBack(who, `${back}&returnTo=/settings`);
    expect(reply.headers.location).toBe("/dashboard");
  });

  it("after a failure too, with the reason", async () => {
    issuer.refusal = "access_denied";
    const { reply } = await signInFrom("/settings");
    expect(reply.headers.location).toBe("/settings#google-login-failed");
  });
});
