/** Sign-ins through the issuer that fail redirect to `/auth` with the reason in a cookie, and open no session. */
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { describe, expect, it } from "vitest";
import { startTestServer } from "../test/test-server.ts";
import { begin, comeBack, consent, expectFailure, setUpGoogleSignIn } from "./google-sign-in.testing.ts";

const { issuer, server, startServer, visitor, signIn } = await setUpGoogleSignIn();

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
