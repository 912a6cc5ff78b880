import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AccountLinkKind } from "../../../core/user/account-link.ts";
import type { User } from "../../../core/user/user.ts";
import type { Store } from "../../open-store.ts";
import { anApiKey, aSession, aUser } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const MINUTE_MS = 60_000;

async function issue(store: Store, user: User, { kind = "reset" as AccountLinkKind, now = new Date() } = {}) {
  const tokenHash = randomBytes(32);
  const expiresAt = new Date(now.getTime() + 30 * MINUTE_MS);
  const isIssued = await store.accountLinks.issue({
    kind,
    tokenHash,
    userId: user.id,
    email: user.email ?? "",
    expiresAt,
  });
  return { tokenHash, isIssued };
}

describe("links to an account's own e-mail", () => {
  onEachDatabase((fixture) => {
    const given = (user: User, kind: AccountLinkKind = "reset") =>
      issue(fixture.store, user, { kind, now: fixture.clock.now() });

    it("a reset link works once: it sets the password, confirms the address and ends all sessions", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const session = aSession(user.id);
      await store.loginSessions.insert(session);
      const { tokenHash } = await given(user);
      expect(await store.accountLinks.find("reset", tokenHash)).toEqual({ userId: user.id, email: user.email });
      const both = await Promise.all(["one", "two"].map((hash) => store.accountLinks.resetPassword(tokenHash, hash)));
      expect(both.toSorted()).toEqual([false, true]);
      const after = await store.users.find(user.id);
      expect(after).toMatchObject({ passwordHash: both[0] ? "one" : "two", emailConfirmedAt: clock.now() });
      expect(await store.loginSessions.find(session.tokenHash)).toBeNull();
      expect(await store.accountLinks.find("reset", tokenHash)).toBeNull();
    });

    it("a newer link ends the older one of its kind, and no other", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      const [old, email, fresh] = [await given(user), await given(user, "email"), await given(user)];
      expect(await store.accountLinks.resetPassword(old.tokenHash, "x")).toBe(false);
      expect(await store.accountLinks.find("email", email.tokenHash)).not.toBeNull();
      expect(await store.accountLinks.find("email", fresh.tokenHash)).toBeNull();
      expect(await store.accountLinks.find("reset", fresh.tokenHash)).not.toBeNull();
      await store.accountLinks.takeBack(fresh.tokenHash);
      expect(await store.accountLinks.find("reset", fresh.tokenHash)).toBeNull();
    });

    it("a link ends when it expires, and is deleted with the account", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const late = await given(user);
      clock.advance(30 * MINUTE_MS - 1);
      expect(await store.accountLinks.find("reset", late.tokenHash)).not.toBeNull();
      clock.advance(1);
      expect(await store.accountLinks.resetPassword(late.tokenHash, "x")).toBe(false);
      expect((await store.users.find(user.id))?.passwordHash).toBe(user.passwordHash);
      const orphan = await given(user);
      await store.users.delete(user.id);
      expect(await store.accountLinks.find("reset", orphan.tokenHash)).toBeNull();
      expect((await given(user)).isIssued).toBe(false);
    });

    it("the first proof of a mailbox removes what an impostor could have left; a later proof does not", async () => {
      const { store } = fixture;
      const user = aUser({ googleId: randomBytes(8).toString("hex"), walletAddress: randomBytes(8).toString("hex") });
      await store.users.insert(user);
      const alias = await insertAlias(store, user.id);
      const makeCredential = () =>
        store.smtpCredentials.insert({
          id: randomUUID(),
          userId: user.id,
          aliasId: alias.id,
          password: "p",
          createdAt: new Date(),
        });
      await makeCredential();
      expect(await store.users.draftKey(user.id, "before")).toBe("before");
      await store.accountLinks.resetPassword((await given(user)).tokenHash, "first");
      expect(await store.users.draftKey(user.id, "after")).toBe("after");
      expect(await store.users.find(user.id)).toMatchObject({
        googleId: null,
        walletAddress: null,
        authMethod: "email",
      });
      expect(await store.smtpCredentials.listForAlias(user.id, alias.id)).toEqual([]);
      await makeCredential();
      await store.accountLinks.resetPassword((await given(user)).tokenHash, "second");
      expect(await store.users.draftKey(user.id, "other")).toBe("after");
      expect(await store.smtpCredentials.listForAlias(user.id, alias.id)).toHaveLength(1);
    });

    it("a password reset and the first proof of a mailbox revoke all API keys; a changed password and a sign-in keep them", async () => {
      const { store } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      const foreign = anApiKey(other.id);
      await store.apiKeys.insert(foreign, 1);
      const make = async () => {
        for (const key of [anApiKey(user.id), anApiKey(user.id)]) await store.apiKeys.insert(key, 2);
      };
      const count = async () => (await store.apiKeys.listForUser(user.id)).length;
      await make();
      await store.accountLinks.resetPassword((await given(user)).tokenHash, "first");
      expect(await count()).toBe(0);
      const [notice] = await store.notices.listForUser(user.id);
      expect(notice?.text).toContain("so the following was removed or reset: API keys.");
      await make();
      await store.users.changePassword(user.id, { from: "first", to: "second", keepSession: null });
      await store.accountLinks.signIn((await given(user, "sign-in")).tokenHash, null);
      expect(await count()).toBe(2);
      await store.accountLinks.resetPassword((await given(user)).tokenHash, "third");
      expect(await count()).toBe(0);
      expect(await store.apiKeys.find(foreign.hash)).not.toBeNull();
    });

    it("a sign-in link works once; a password sent with it must be the account's", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const session = aSession(user.id);
      await store.loginSessions.insert(session);
      const { tokenHash } = await given(user, "sign-in");
      expect(await store.accountLinks.signIn(tokenHash, "another hash")).toBe(false);
      const use = () => store.accountLinks.signIn(tokenHash, user.passwordHash);
      expect((await Promise.all([use(), use()])).toSorted()).toEqual([false, true]);
      expect(await store.users.find(user.id)).toMatchObject({
        passwordHash: user.passwordHash,
        emailConfirmedAt: clock.now(),
      });
      expect(await store.loginSessions.find(session.tokenHash)).not.toBeNull();
    });

    it("a sign-in link alone is a first proof of the mailbox and removes the password; later ones do not", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const session = aSession(user.id);
      await store.loginSessions.insert(session);
      await store.users.changeSettings(user.id, { leakGuard: false, aliasInQuotes: true });
      expect(await store.accountLinks.signIn((await given(user, "sign-in")).tokenHash, null)).toBe(true);
      const proven = { passwordHash: null, passwordSetAt: clock.now(), emailConfirmedAt: clock.now() };
      expect(await store.users.find(user.id)).toMatchObject(proven);
      expect(await store.loginSessions.find(session.tokenHash)).toBeNull();
      expect(await store.users.settings(user.id)).toMatchObject({ leakGuard: true, aliasInQuotes: false });
      const [notice, ...more] = await store.notices.listForUser(user.id);
      expect([notice?.kind, more]).toEqual(["first_proof", []]);
      expect(notice?.text).toContain(
        "the leak guard setting, which is on again; the setting for the alias in quoted lines, which is off again",
      );
      await store.users.changeSettings(user.id, { leakGuard: false });
      expect(await store.accountLinks.signIn((await given(user, "sign-in")).tokenHash, null)).toBe(true);
      expect(await store.users.settings(user.id)).toMatchObject({ leakGuard: false });
    });

    it("the first proof of a mailbox removes the defaults for new aliases and the added mailboxes; later proofs do not", async () => {
      const { store } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      await store.mailboxes.add(other.id, "other@example.org", 1);
      const choose = async () => {
        const added = await store.mailboxes.add(user.id, "impostor@example.org", 1);
        await store.users.changeDefaults(user.id, { format: "uuid", mailboxId: added?.id ?? null });
      };
      await choose();
      await store.accountLinks.signIn((await given(user, "sign-in")).tokenHash, null);
      expect(await store.users.defaults(user.id)).toEqual({});
      expect(await store.mailboxes.list(user.id)).toEqual([]);
      expect(await store.mailboxes.list(other.id)).toHaveLength(1);
      const [notice] = await store.notices.listForUser(user.id);
      expect(notice?.text).toContain(
        "the default mailbox, domain and format of new aliases; mailboxes that were added to the list",
      );
      await choose();
      await store.accountLinks.signIn((await given(user, "sign-in")).tokenHash, null);
      expect(await store.users.defaults(user.id)).toMatchObject({ format: "uuid" });
      expect(await store.mailboxes.list(user.id)).toHaveLength(1);
    });

    it("a confirmation link confirms once, for its own account only", async () => {
      const { store, clock } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      const { tokenHash } = await given(user, "email");
      expect(await store.accountLinks.confirmEmail(tokenHash, other.id)).toBe(false);
      expect(await store.accountLinks.confirmEmail(tokenHash, user.id)).toBe(true);
      expect((await store.users.find(user.id))?.emailConfirmedAt).toEqual(clock.now());
      expect((await store.users.find(other.id))?.emailConfirmedAt).toBeNull();
      expect(await store.accountLinks.confirmEmail(tokenHash, user.id)).toBe(false);
    });

    it("a confirmed e-mail is a confirmed destination of its account, asked before or not, unless its reader refused", async () => {
      const { store } = fixture;
      const [user, other, refused] = [await insertUser(store), await insertUser(store), await insertUser(store)];
      const stateOf = async ({ id, email }: User) =>
        (await store.destinations.states(id, [email ?? ""])).get(email ?? "");
      const asked = async ({ id, email }: User) => {
        const tokenHash = randomBytes(32);
        const tokenExpiresAt = new Date(fixture.clock.now().getTime() + 1000);
        const input = {
          id: randomUUID(),
          userId: id,
          address: email ?? "",
          tokenHash,
          tokenExpiresAt,
          isByOwner: false,
        };
        return { tokenHash, decision: await store.destinations.ask(input) };
      };
      await asked(user);
      await store.destinations.decideByLink((await asked(refused)).tokenHash, "not_mine");
      expect(await stateOf(user)).toBe("asked");
      for (const it of [user, other, refused])
        await store.accountLinks.confirmEmail((await given(it, "email")).tokenHash, it.id);
      expect(await Promise.all([user, other, refused].map(stateOf))).toEqual(["confirmed", "confirmed", "refused"]);
      expect((await asked(other)).decision).toEqual({ kind: "known", state: "confirmed" });
    });

    it("changing the password keeps one session and ends reset links, unless the password was changed meanwhile", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      const [kept, ended] = [aSession(user.id), aSession(user.id)];
      for (const session of [kept, ended]) await store.loginSessions.insert(session);
      const { tokenHash } = await given(user);
      const from = user.passwordHash ?? "";
      const keepSession = kept.tokenHash;
      expect(await store.users.changePassword(user.id, { from: "else", to: "x", keepSession })).toBe(false);
      expect(await store.loginSessions.listForUser(user.id)).toHaveLength(2);
      expect(await store.users.changePassword(user.id, { from, to: "new", keepSession })).toBe(true);
      expect((await store.loginSessions.listForUser(user.id)).map((it) => it.id)).toEqual([kept.id]);
      expect(await store.accountLinks.find("reset", tokenHash)).toBeNull();
      expect(await store.users.replaceHash(user.id, { from, to: "late" })).toBe(false);
      expect((await store.users.find(user.id))?.passwordHash).toBe("new");
    });
  });
});
