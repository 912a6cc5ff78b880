/** Linking a Google account in Settings, signing in again with it, and removing it; with a fake OpenID issuer. */
import { type GoogleFailure, googleFailureCookie, googleFailureTexts } from "@kauke/contract";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openIdIssuer } from "../../platform/openid-issuer.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { sentMessagesTo } from "../test/sent-messages.ts";
import { type Reply, startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let issuer: FakeIssuer;
let server: TestServer;
beforeAll(async () => {
  issuer = await FakeIssuer.start();
  const settings = { clientId: "kauke", clientSecret: "kauke-client-secret", issuer: issuer.url };
  server = await startTestServer({
    federatedIssuer: openIdIssuer(settings, { clock: { now: () => server.clock.now() } }),
  });
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});
beforeEach(() => {
  Object.assign(issuer, { refusal: null, claims: somebody() });
});

const somebody = () => ({ sub: `subject-${systemRandom.uuid()}` });
const password = "correct horse";

async function person() {
  const email = `${systemRandom.uuid()}@people.example`;
  return Object.assign(await new Visitor(server).register(email), { email });
}

/**
 * Follows the redirect to the issuer, as the browser does.
 * @returns the URI it redirects back to, without the origin
 */
async function consent(location: unknown): Promise<string> {
  const answer = await fetch(String(location), { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return pathname + search;
}

const comeBack = (who: Visitor, url: string) => who.send({ method: "GET", url });

async function begin(who: Visitor, call: "linkGoogle" | "proveByGoogle" = "linkGoogle"): Promise<string> {
  const body = call === "proveByGoogle" ? { action: "change-email" } : undefined;
  const reply = await who.call(call, { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.url;
}

const goThrough = async (who: Visitor, call?: "linkGoogle" | "proveByGoogle") =>
  comeBack(who, await consent(await begin(who, call)));

async function signIn(who = new Visitor(server)) {
  const begun = await who.send({ method: "GET", url: "/api/auth/google" });
  return { who, reply: await comeBack(who, await consent(begun.headers.location)) };
}

/** Registers an account with a password and links the Google account that the fake issuer signs in. */
async function linked() {
  const ann = await person();
  const { status, headers } = await goThrough(ann);
  expect([status, headers.location]).toEqual([302, "/settings#google-linked"]);
  return ann;
}

function expectFailure(who: Visitor, { status, headers }: Reply, failure: GoogleFailure, page = "/settings"): void {
  expect([status, headers.location]).toEqual([302, `${page}#google-login-failed`]);
  expect(who.cookies.get(googleFailureCookie)).toBe(failure);
}

const hasGoogle = async (who: Visitor) => (await who.call("getSignIn")).body.hasGoogle;
const getStale = () => server.clock.advance(5 * 60);

describe("a Google account", () => {
  it("can be linked whatever its address, and then signs in", async () => {
    const ann = await person();
    const url = new URL(await begin(ann));
    expect(url.searchParams.get("prompt")).toBe("select_account");
    expect(url.searchParams.get("redirect_uri")).toBe("http://localhost:3000/api/auth/google/callback");
    const { headers } = await comeBack(ann, await consent(url));
    expect(headers.location).toBe("/settings#google-linked");
    expect(await hasGoogle(ann)).toBe(true);
    const { who } = await signIn();
    expect((await who.call("getSession")).body.user).toMatchObject({ id: ann.userId, email: ann.email });
  });

  it("is reported to the account's e-mail if that is confirmed", async () => {
    const ann = await person();
    await ann.call("askEmailConfirmation");
    const messages = () => sentMessagesTo(server, ann.email);
    await expect.poll(async () => (await messages()).length).toBe(1);
    const token = /confirm-email#([a-z2-7]{32})/.exec((await messages())[0] ?? "")?.[1] ?? "";
    await ann.call("confirmEmail", { body: { token } });
    await goThrough(ann);
    await expect.poll(async () => (await messages()).at(-1)).toContain("Subject: A Google account was linked");
    await ann.call("unlinkGoogle");
    await expect.poll(async () => (await messages()).at(-1)).toContain("Subject: The Google account was removed");
  });

  it("of another account is refused, without showing whose it is", async () => {
    await linked();
    const bob = await person();
    expectFailure(bob, await goThrough(bob), "linked_elsewhere");
    expect(await hasGoogle(bob)).toBe(false);
    expect(googleFailureTexts.linked_elsewhere).not.toMatch(/@|e-mail/);
  });

  it("does not replace one that is linked already", async () => {
    const ann = await linked();
    expect((await ann.call("linkGoogle")).status).toBe(400);
    const bob = await person();
    const [first, second] = [await begin(bob), await begin(bob)];
    issuer.claims = somebody();
    await comeBack(bob, await consent(first));
    issuer.claims = somebody();
    expectFailure(bob, await comeBack(bob, await consent(second)), "has_one");
  });

  it("is linked only in the session that started: not by a prepared link, in another browser, or signed out", async () => {
    const [mallory, ann] = [await person(), await person()];
    const prepared = await consent(await begin(mallory));
    expectFailure(ann, await comeBack(ann, prepared), "expired", "/auth");
    const stranger = new Visitor(server);
    expectFailure(stranger, await comeBack(stranger, prepared), "expired", "/auth");
    expect([await hasGoogle(ann), await hasGoogle(mallory)]).toEqual([false, false]);
    const own = await consent(await begin(ann));
    const other = new Visitor(server);
    await other.call("login", { body: { email: ann.email, password } });
    expectFailure(other, await comeBack(other, own), "expired", "/auth");
    // Nor is the Google account linked if the login session's token is put into the cookie of another browser's sign-in
    // flow.
    const planted = await consent(await begin(ann));
    other.cookies.set("google", ann.cookies.get("sid") ?? "");
    expectFailure(other, await comeBack(other, planted), "expired", "/auth");
    expect(await hasGoogle(ann)).toBe(false);
    const begun = await consent(await begin(ann));
    await ann.call("logout");
    expectFailure(ann, await comeBack(ann, begun), "expired", "/auth");
  });

  it("is linked only once by one callback", async () => {
    const ann = await person();
    const back = await consent(await begin(ann));
    await comeBack(ann, back);
    await ann.call("unlinkGoogle");
    expectFailure(ann, await comeBack(ann, back), "expired", "/auth");
    expect(await hasGoogle(ann)).toBe(false);
  });

  it("is not linked by the callback of a sign-in, nor does the callback of a linking sign anybody in", async () => {
    const ann = await person();
    const begun = await ann.send({ method: "GET", url: "/api/auth/google" });
    const flow = ann.cookies.get("google") ?? "";
    await comeBack(ann, await consent(begun.headers.location));
    const linking = await consent(await begin(await person()));
    const mallory = new Visitor(server);
    mallory.cookies.set("google", flow);
    expectFailure(mallory, await comeBack(mallory, linking), "expired", "/auth");
    expect((await mallory.call("getSession")).status).toBe(401);
  });

  it("is refused when the session's proof became five minutes old during the flow", async () => {
    const ann = await person();
    const back = await consent(await begin(ann));
    getStale();
    expectFailure(ann, await comeBack(ann, back), "too_late");
    expect(await hasGoogle(ann)).toBe(false);
  });

  it("shows a failure at the issuer in Settings", async () => {
    const ann = await person();
    issuer.refusal = "access_denied";
    expectFailure(ann, await goThrough(ann), "denied");
  });

  it("cannot be linked by another site's page, nor by following a link", async () => {
    const ann = await person();
    const headers = { "sec-fetch-site": "cross-site" };
    for (const call of ["linkGoogle", "unlinkGoogle", "unlinkWallet"] as const)
      expect(await ann.call(call, { headers })).toMatchObject({ status: 403, body: { code: "cross_site" } });
    expect((await ann.send({ method: "GET", url: "/api/account/google" })).status).toBe(404);
  });

  it("cannot sign in once removed: other sessions end, and a matching address does not link it again", async () => {
    const ann = await person();
    await ann.call("askEmailConfirmation");
    await expect.poll(async () => (await sentMessagesTo(server, ann.email)).length).toBe(1);
    const token = /confirm-email#([a-z2-7]{32})/.exec((await sentMessagesTo(server, ann.email))[0] ?? "")?.[1] ?? "";
    await ann.call("confirmEmail", { body: { token } });
    // The issuer hosts the mailbox, so an unknown Google account with this address would normally be linked at sign-in.
    const hosted = { email: ann.email, email_verified: true, hd: "people.example" };
    issuer.claims = { ...somebody(), ...hosted };
    await goThrough(ann);
    const { who } = await signIn();
    expect((await who.call("getSession")).status).toBe(200);
    expect(await ann.call("unlinkGoogle")).toMatchObject({ status: 200, body: { hasGoogle: false } });
    expect((await who.call("getSession")).status).toBe(401);
    const again = await signIn();
    expectFailure(again.who, again.reply, "taken", "/auth");
    await goThrough(ann);
    expect((await signIn()).reply.headers.location).toBe("/dashboard");
  });

  it("cannot be removed while it is the only way to sign in", async () => {
    issuer.claims = { ...somebody(), email: `${systemRandom.uuid()}@people.example`, email_verified: true };
    const { who } = await signIn();
    expect(await who.call("unlinkGoogle")).toMatchObject({ status: 409, body: { code: "last_way_in" } });
  });
});

describe("signing in again by Google", () => {
  it("renews the proof under another token, and returns to the interrupted action", async () => {
    const ann = await linked();
    getStale();
    const former = ann.cookies.get("sid");
    expect((await goThrough(ann, "proveByGoogle")).headers.location).toBe("/settings#signed-in-for-change-email");
    expect(ann.cookies.get("sid")).not.toBe(former);
    expect((await ann.call("getSignIn")).body.freshForSeconds).toBe(300);
    expect((await ann.call("getSession")).body.user.id).toBe(ann.userId);
    expect((await new Visitor(server).call("getSession", { headers: { cookie: `sid=${former}` } })).status).toBe(401);
  });

  it("accepts only the account's own Google account: another one changes nothing and signs nobody in", async () => {
    const bobs = issuer.claims;
    const bob = await linked();
    issuer.claims = somebody();
    const ann = await linked();
    getStale();
    issuer.claims = bobs;
    expectFailure(ann, await goThrough(ann, "proveByGoogle"), "other_person");
    issuer.claims = somebody();
    expectFailure(ann, await goThrough(ann, "proveByGoogle"), "other_person");
    expect((await ann.call("getSession")).body.user.id).toBe(ann.userId);
    expect((await ann.call("getSignIn")).body.freshForSeconds).toBe(0);
    expect(bob.userId).not.toBe(ann.userId);
  });

  it("requires a linked Google account and an issuer", async () => {
    const ann = await person();
    const body = { action: "change-email" };
    expect((await ann.call("proveByGoogle", { body })).status).toBe(400);
    expect((await ann.call("proveByGoogle", { body: { action: "https://evil.example" } })).status).toBe(400);
    const off = await startTestServer();
    const bob = await new Visitor(off).register();
    expect(await bob.call("linkGoogle")).toMatchObject({ status: 400, body: { message: googleFailureTexts.off } });
    await off.close();
  });
});
