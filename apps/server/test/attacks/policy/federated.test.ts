/**
 * Attacks by an impostor who creates an account with somebody else's address and waits for its owner to take the
 * account over. When the owner first proves that the mailbox is theirs, everything ends that would leave the impostor a
 * way in.
 */
import { randomUUID } from "node:crypto";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, password, type Stage, startStage } from "../sign-in.testing.ts";

let issuer: FakeIssuer;
let stage: Stage;
beforeAll(async () => {
  issuer = await FakeIssuer.start();
  stage = await startStage({ env: issuer.env });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer.close();
});

let people = 0;
let email = "";
beforeEach(() => {
  email = `ann${++people}@firm.example`;
  issuer.claims = { sub: `former-${people}`, email, email_verified: true };
});

/** @returns the path where the sign-in ends: `/dashboard`, or `/auth…` */
async function signInAtIssuer(browser: Browser): Promise<string> {
  const begun = await browser.send("/api/auth/google");
  const answer = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return (await browser.send(pathname + search)).headers.get("location") ?? "";
}

async function resetBy(owner: Browser, word: string): Promise<void> {
  expect((await owner.send("/api/auth/password-reset/message", { email })).status).toBe(202);
  const token = await stage.mailedToken(email, "reset");
  expect((await owner.send("/api/auth/password-reset", { token, password: word })).status).toBe(200);
  expect((await owner.login(email, word)).status).toBe(200);
}

describe("a former holder of an address, whom an issuer verified then,", () => {
  test("creates an account with it that today's owner takes over for good", async () => {
    const former = stage.browser("192.0.2.1");
    expect(await signInAtIssuer(former)).toBe("/dashboard");
    const { id } = (await former.send("/api/auth/session")).body.user;
    const owner = stage.browser("198.51.100.1");
    await resetBy(owner, "the owner's password");
    expect((await owner.send("/api/auth/session")).body.user).toMatchObject({ id, authMethod: "email" });
    expect(await former.isSignedIn()).toBe(false);
    expect(await signInAtIssuer(former)).toBe("/auth#google-login-failed");
    expect((await owner.send("/api/account/sign-in")).body).toMatchObject({ hasGoogle: false, hasPassword: true });
  });

  test("keeps it through a reset if the issuer hosts the mailbox, since then nobody else can hold the address (control)", async () => {
    issuer.claims = { ...issuer.claims, hd: "firm.example" };
    const holder = stage.browser("192.0.2.2");
    expect(await signInAtIssuer(holder)).toBe("/dashboard");
    await resetBy(stage.browser("192.0.2.3"), "the same person's password");
    expect(await signInAtIssuer(holder)).toBe("/dashboard");
  });

  test("cannot sign in to an account that the owner has confirmed", async () => {
    const owner = await stage.browser("198.51.100.2").register(email);
    await resetBy(owner, "the owner's password");
    expect(await signInAtIssuer(stage.browser("192.0.2.4"))).toBe("/auth#google-login-failed");
    issuer.claims = { ...issuer.claims, hd: "other.example" };
    expect(await signInAtIssuer(stage.browser("192.0.2.4"))).toBe("/auth#google-login-failed");
  });

  test("loses every way into an account that an earlier version counted as confirmed", async () => {
    const { users } = stage.system.server.store;
    const created = stage.clock.now();
    const former = stage.browser("192.0.2.5");
    expect(await signInAtIssuer(former)).toBe("/dashboard");
    const made = await users.findByEmail(email);
    if (made === null) throw new Error("no account");
    await asEarlierVersion(made.id, created);
    expect((await users.findByEmail(email))?.emailConfirmedAt).toBeNull();
    await resetBy(stage.browser("198.51.100.3"), "the owner's password");
    expect(await signInAtIssuer(former)).toBe("/auth#google-login-failed");
  });

  /**
   * Rewrites an account's sealed row as an earlier version wrote it: its mailbox counts as confirmed, and whether the
   * issuer hosts the mailbox is not stored.
   */
  async function asEarlierVersion(id: string, at: Date): Promise<void> {
    const { keys, users } = stage.system.server.store;
    const user = await users.find(id);
    if (user === null) throw new Error("no account");
    await users.delete(id);
    const seal: typeof keys.seal = keys.seal;
    keys.seal = (table, rowId, document) => {
      const { isMadeByHost: _, ...then } = document as { isMadeByHost?: true };
      return seal(table, rowId, then);
    };
    await users.insert({ ...user, emailConfirmedAt: at, createdAt: at });
    keys.seal = seal;
  }
});

describe("an impostor who registered the owner's address", () => {
  /** Adds one of everything that an account can have. @returns the impostor's browser, and the ids of what was added */
  async function addEverything(enter = (browser: Browser): Promise<unknown> => browser.register(email)) {
    const impostor = stage.browser("192.0.2.9");
    await enter(impostor);
    const { store } = stage.system.server;
    const { user } = (await impostor.send("/api/auth/session")).body;
    const draft = { alias: `shop${people}`, domain: "kauke.test", forwardTo: "mallory@inbox.example" };
    const alias = (await impostor.send(`/api/aliases/${user.id}`, draft)).body;
    const { credential } = (await impostor.send("/api/smtp-credentials", { aliasId: alias.id })).body;
    const key = { id: randomUUID(), userId: user.id, keyName: "Mine", publicKey, encryptedPrivateKey: "none" };
    await store.encryptionKeys.insert({ ...key, isDefault: true, createdAt: stage.clock.now() }, 50);
    await store.users.changeSettings(user.id, { leakGuard: false, sealTo: key.id });
    await store.aliases.update(user.id, alias.id, () => ({ sealTo: { keyId: key.id } }));
    const scheduledAt = new Date(stage.clock.now().getTime() + 30 * 86_400_000).toISOString();
    const message = { fromAliasId: alias.id, to: "boss@firm.example", subject: "I quit", body: "Yours, Ann" };
    const job = await impostor.send("/api/email-jobs", { ...message, scheduledAt });
    expect(job.status).toBe(201);
    return { impostor, user, alias, credential, keyId: key.id, jobId: job.body.jobId as string };
  }

  const publicKey = "age1pdt7t8j69hqwyjc4kzwjknlx5dct40autmwftgrsnfm5jearwv4snj9avt";

  /** @returns which of the impostor's sessions, aliases, credentials and jobs still exist */
  async function leftOver({ impostor, user, alias, credential, jobId }: Awaited<ReturnType<typeof addEverything>>) {
    const { store } = stage.system.server;
    const [settings, route] = [await store.users.settings(user.id), await store.aliases.find(user.id, alias.id)];
    return {
      session: await impostor.isSignedIn(),
      password: (await stage.browser("192.0.2.10").login(email, password)).status === 200,
      knownBrowser: (await impostor.login(email, password)).status === 200,
      smtp: (await store.smtpCredentials.findLogin(credential.username)) !== null,
      leakGuard: settings?.leakGuard,
      sealTo: settings?.sealTo === "off" ? "off" : "a key",
      aliasSealTo: typeof route?.sealTo === "string" ? route.sealTo : "a key",
      composed: (await store.emailJobs.find(user.id, jobId))?.status,
    };
  }

  const everything = {
    session: true,
    password: true,
    knownBrowser: true,
    smtp: true,
    leakGuard: false,
    sealTo: "a key",
    aliasSealTo: "a key",
    composed: "pending",
  };
  const nothing = {
    session: false,
    password: false,
    knownBrowser: false,
    smtp: false,
    leakGuard: true,
    sealTo: "off",
    aliasSealTo: "account",
    composed: "cancelled",
  };

  test("keeps all of it as long as nobody proves the mailbox (control)", async () => {
    expect(await leftOver(await addEverything())).toEqual(everything);
  });

  test("has nothing of it once the owner has reset the password, and the owner is told what ended", async () => {
    const made = await addEverything();
    const owner = stage.browser("198.51.100.10");
    await resetBy(owner, "the owner's password");
    expect(await leftOver(made)).toEqual(nothing);
    const [notice] = (await owner.send("/api/notices")).body.notices;
    expect(notice).toMatchObject({ kind: "first_proof", aliasId: null });
    for (const word of ["SMTP credentials", "encrypted", "leak guard", "waited to be sent", "where they forward to"])
      expect(notice.text).toContain(word);
    // The impostor's aliases and encryption keys remain: the owner sees them in the dashboard and can remove them
    // there.
    const { aliases } = (await owner.send(`/api/aliases/${made.user.id}`)).body;
    expect(aliases.map((it: { id: string }) => it.id)).toEqual([made.alias.id]);
    expect(await stage.system.server.store.encryptionKeys.find(made.user.id, made.keyId)).not.toBeNull();
  });

  test("has nothing of it once the owner has signed in by a link to an account without a password", async () => {
    const made = await addEverything(signInAtIssuer);
    expect(await leftOver(made)).toEqual({ ...everything, password: false, knownBrowser: false });
    const owner = stage.browser("198.51.100.11");
    await owner.send("/api/auth/sign-in-link/message", { email });
    const token = await stage.mailedToken(email, "sign-in-link");
    expect((await owner.send("/api/auth/sign-in-link", { token })).status).toBe(200);
    expect(await owner.isSignedIn()).toBe(true);
    expect(await leftOver(made)).toEqual(nothing);
    expect(await signInAtIssuer(stage.browser("192.0.2.9"))).toBe("/auth#google-login-failed");
  });

  test("does not stay in the account by a link that the owner opens without knowing the password", async () => {
    const made = await addEverything();
    const owner = stage.browser("198.51.100.12");
    await owner.send("/api/auth/sign-in-link/message", { email });
    const token = await stage.mailedToken(email, "sign-in-link");
    expect((await owner.send("/api/auth/sign-in-link/state", { token })).body).toMatchObject({ needsPassword: true });
    expect((await owner.send("/api/auth/sign-in-link", { token })).status).toBe(400);
    expect((await stage.system.server.store.users.find(made.user.id))?.emailConfirmedAt).toBeNull();
  });

  test("is ruled out if mailbox and password belong to one person: a link opened with the password ends nothing", async () => {
    const made = await addEverything();
    await made.impostor.send("/api/auth/sign-in-link/message", { email });
    const token = await stage.mailedToken(email, "sign-in-link");
    expect((await made.impostor.send("/api/auth/sign-in-link", { token, password })).status).toBe(200);
    expect(await leftOver(made)).toEqual(everything);
    expect((await stage.system.server.store.users.find(made.user.id))?.emailConfirmedAt).not.toBeNull();
    // Signing in by the link was the first proof of the mailbox, so a later password reset ends sessions and removes
    // nothing else.
    stage.clock.advance(3600);
    await made.impostor.send("/api/auth/password-reset/message", { email });
    const reset = await stage.mailedToken(email, "reset", 1);
    await made.impostor.send("/api/auth/password-reset", { token: reset, password: "a new password" });
    expect(await leftOver(made)).toMatchObject({ session: false, smtp: true, leakGuard: false, sealTo: "a key" });
  });
});
