/** Who may register: with a password, a wallet and Google, while registration is closed or by invitation. */
import { type RegistrationMode, registrationMessages } from "@kauke/contract";
import { makeWalletKey, proveWallet, type WalletKey } from "@kauke/testkit/wallet-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInvite } from "../../core/registration.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { onEachDatabase } from "../../store/stores.testing.ts";
import { comeBack, consent, setUpGoogleSignIn } from "../google/google-sign-in.testing.ts";
import { type TestServer, Visitor } from "../test/test-server.ts";

const { startServer, signIn: signInByGoogle, issuer } = await setUpGoogleSignIn();

const closed = { message: registrationMessages.closed, code: "registration_closed" };
const notInvited = { message: registrationMessages.invite, code: "invite_required" };
const password = "correct horse";

async function signInByWallet(server: TestServer, key: WalletKey, more: { invite?: string } = {}) {
  const person = new Visitor(server);
  const { body } = await person.call("walletSignIn", { body: { walletAddress: key.address } });
  return person.call("walletSignIn", { body: { ...proveWallet(key, body.challenge), ...more } });
}

async function beginInvited(who: Visitor, invite: string): Promise<string> {
  const { status, body } = await who.call("signInByGoogle", { body: { invite } });
  expect(status).toBe(200);
  return body.url;
}

async function signInInvited(server: TestServer, invite: string) {
  const who = new Visitor(server);
  const url = await beginInvited(who, invite);
  const reply = await comeBack(who, await consent({ status: 302, body: "", headers: { location: url } }));
  return { who, reply };
}

onEachDatabase((fixture) => {
  const servers = {} as Record<RegistrationMode, TestServer>;
  beforeAll(async () => {
    for (const registration of ["open", "invite", "closed"] as const)
      servers[registration] = await startServer({ store: fixture.store, config: { registration } });
  });
  afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

  const register = (mode: RegistrationMode, body: Record<string, unknown>) =>
    new Visitor(servers[mode]).call("register", { body: { password, ...body } });
  const anEmail = () => `${systemRandom.uuid()}@example.org`;
  const makeInvite = async (address: string | null = null) => {
    const deps = { invites: fixture.store.invites, clock: fixture.clock, random: systemRandom };
    return (await createInvite(deps, { address, days: 7 }))?.token ?? "";
  };
  const count = () => fixture.store.users.count();
  const isOpen = async (invite: string) => (await fixture.store.invites.find(invite)) !== null;

  describe("while registration is closed", () => {
    it("no way of signing in creates an account, even with an invite", async () => {
      const before = await count();
      const invite = await makeInvite();
      expect(await register("closed", { email: anEmail() })).toMatchObject({ status: 403, body: closed });
      expect(await register("closed", { email: anEmail(), invite })).toMatchObject({ status: 403, body: closed });
      const wallet = await signInByWallet(servers.closed, makeWalletKey(), { invite });
      expect(wallet).toMatchObject({ status: 403, body: closed });
      for (const { who } of [
        await signInByGoogle(new Visitor(servers.closed)),
        await signInInvited(servers.closed, invite),
      ])
        expect(who.cookies.get("google-login-failed")).toBe("registration_closed");
      expect(await count()).toBe(before);
      expect(await isOpen(invite)).toBe(true);
    });

    it("a taken e-mail gets the same refusal as a free one", async () => {
      const email = anEmail();
      await register("open", { email });
      expect(await register("closed", { email })).toMatchObject({ status: 403, body: closed });
    });
  });

  it.each(["invite", "closed"] as const)("existing accounts sign in as ever while the mode is %s", async (mode) => {
    const key = makeWalletKey();
    const email = anEmail();
    await register("open", { email });
    await signInByWallet(servers.open, key);
    await signInByGoogle(new Visitor(servers.open));
    const login = await new Visitor(servers[mode]).call("login", { body: { email, password } });
    expect(login.status).toBe(200);
    expect((await signInByWallet(servers[mode], key)).status).toBe(200);
    const { reply } = await signInByGoogle(new Visitor(servers[mode]));
    expect([reply.status, reply.headers.location]).toEqual([302, "/dashboard"]);
  });

  describe("while registration is by invitation", () => {
    it("no way of signing in creates an account without one", async () => {
      const before = await count();
      for (const invite of [undefined, "", "x", "a".repeat(32), "\u0000", "x".repeat(10_000)])
        expect(await register("invite", { email: anEmail(), invite })).toMatchObject({ status: 403, body: notInvited });
      expect(await signInByWallet(servers.invite, makeWalletKey())).toMatchObject({ status: 403, body: notInvited });
      const { who, reply } = await signInByGoogle(new Visitor(servers.invite));
      expect(reply.headers.location).toBe("/auth#google-login-failed");
      expect(who.cookies.get("google-login-failed")).toBe("invite_required");
      expect(await count()).toBe(before);
    });

    it("an invite creates one account with a password, and is used up", async () => {
      const invite = await makeInvite();
      const email = anEmail();
      expect((await register("invite", { email, invite })).status).toBe(201);
      expect(await register("invite", { email: anEmail(), invite })).toMatchObject({ status: 403, body: notInvited });
      expect((await fixture.store.users.findByEmail(email))?.email).toBe(email);
    });

    it("an invite creates an account for a wallet, which signs in without it from then on", async () => {
      const invite = await makeInvite();
      const key = makeWalletKey();
      expect((await signInByWallet(servers.invite, key, { invite })).status).toBe(200);
      expect(await isOpen(invite)).toBe(false);
      expect((await signInByWallet(servers.invite, key)).status).toBe(200);
    });

    it("an existing account that signs in with an invite leaves it open", async () => {
      const invite = await makeInvite();
      const key = makeWalletKey();
      await signInByWallet(servers.open, key);
      expect((await signInByWallet(servers.invite, key, { invite })).status).toBe(200);
      await signInByGoogle(new Visitor(servers.open));
      expect((await signInInvited(servers.invite, invite)).reply.headers.location).toBe("/dashboard");
      expect(await isOpen(invite)).toBe(true);
    });

    it("an invite travels to Google in no URL, and creates an account there", async () => {
      const invite = await makeInvite();
      const url = await beginInvited(new Visitor(servers.invite), invite);
      expect(url).toContain(issuer.url);
      expect(url).not.toContain(invite);
      const { who, reply } = await signInInvited(servers.invite, invite);
      expect(reply.headers.location).toBe("/dashboard");
      expect((await who.call("getSession")).body.user.email).toBe(issuer.claims.email);
      expect(await isOpen(invite)).toBe(false);
    });

    it("a Google sign-in with an invite works only in the browser that began it", async () => {
      const invite = await makeInvite();
      const url = await beginInvited(new Visitor(servers.invite), invite);
      const back = await consent({ status: 302, body: "", headers: { location: url } });
      const other = new Visitor(servers.invite);
      await comeBack(other, back);
      expect(other.cookies.get("google-login-failed")).toBe("expired");
      expect(await isOpen(invite)).toBe(true);
    });

    it("after a used invite Google leads back to the registration, which says so", async () => {
      const invite = await makeInvite();
      await register("invite", { email: anEmail(), invite });
      const { who, reply } = await signInInvited(servers.invite, invite);
      expect(reply.headers.location).toBe("/register#google-login-failed");
      expect(who.cookies.get("google-login-failed")).toBe("invite_required");
    });

    it("a taken e-mail and a bad password leave the invite open", async () => {
      const invite = await makeInvite();
      const email = anEmail();
      await register("open", { email });
      expect((await register("invite", { email, invite })).status).toBe(409);
      expect((await register("invite", { email: anEmail(), password: "short", invite })).status).toBe(400);
      expect((await register("invite", { email: anEmail(), invite })).status).toBe(201);
    });

    it("without a valid invite a taken e-mail gets the same refusal as a free one", async () => {
      const email = anEmail();
      await register("open", { email });
      for (const invite of [undefined, "b".repeat(32), await makeInvite("ann@elsewhere.example")])
        expect(await register("invite", { email, invite })).toMatchObject({ status: 403, body: notInvited });
    });

    it("an invite for an address admits that address alone, in any letter case", async () => {
      const email = `Ann.${systemRandom.uuid()}@Example.org`;
      const invite = await makeInvite(email);
      expect(await register("invite", { email: anEmail(), invite })).toMatchObject({ status: 403, body: notInvited });
      const wallet = await signInByWallet(servers.invite, makeWalletKey(), { invite });
      expect(wallet).toMatchObject({ status: 403, body: notInvited });
      const { who } = await signInInvited(servers.invite, invite);
      expect(who.cookies.get("google-login-failed")).toBe("invite_required");
      expect((await register("invite", { email: email.toLowerCase(), invite })).status).toBe(201);
    });

    it("an invite for the address that Google vouches for creates its account", async () => {
      const invite = await makeInvite(String(issuer.claims.email));
      expect((await signInInvited(servers.invite, invite)).reply.headers.location).toBe("/dashboard");
    });

    it("of many concurrent registrations with one invite exactly one gets an account", async () => {
      const invite = await makeInvite();
      const before = await count();
      const people = Array.from({ length: 8 }, () => register("invite", { email: anEmail(), invite }));
      const wallets = Array.from({ length: 4 }, () => signInByWallet(servers.invite, makeWalletKey(), { invite }));
      const replies = await Promise.all([...people, ...wallets]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(new Set(replies.map(({ status }) => status)).has(403)).toBe(true);
      for (const { status, body } of replies) if (status !== 200 && status !== 201) expect(body).toEqual(notInvited);
      expect(await count()).toBe(before + 1);
    });

    it("an expired invite creates no account", async () => {
      const invite = await makeInvite();
      fixture.clock.advance(7 * 86_400_000);
      expect(await register("invite", { email: anEmail(), invite })).toMatchObject({ status: 403, body: notInvited });
    });
  });

  it("while registration is open, an invite is ignored and stays open", async () => {
    const invite = await makeInvite();
    expect((await register("open", { email: anEmail(), invite })).status).toBe(201);
    expect((await register("open", { email: anEmail(), invite: "nonsense" })).status).toBe(201);
    expect(await isOpen(invite)).toBe(true);
  });
});
