import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { User } from "../../../core/user/user.ts";
import type { Store } from "../../open-store.ts";
import { aSession, aUser } from "../../rows.testing.ts";
import { insertUser, onEachDatabase } from "../../stores.testing.ts";

const MINUTE_MS = 60_000;
const issuer = "https://issuer.example";
const word = () => randomBytes(8).toString("hex");
const subject = () => ({ issuer, subject: word() });
const newAddress = () => `${randomUUID()}@new.example`;

describe("the ways to sign in to an account", () => {
  onEachDatabase((fixture) => {
    async function link(store: Store, user: User, email = newAddress(), formerEmail = user.email) {
      const tokenHash = randomBytes(32);
      const expiresAt = new Date(fixture.clock.now().getTime() + 30 * MINUTE_MS);
      await store.accountLinks.issue({ kind: "new-email", tokenHash, userId: user.id, email, formerEmail, expiresAt });
      return { tokenHash, email };
    }
    const use = (store: Store, user: Pick<User, "id">, tokenHash: Buffer, keepSession: Buffer | null = null) =>
      store.accountLinks.changeEmail({ tokenHash, userId: user.id, keepSession });

    it("a link to a new e-mail works once: the new one is confirmed and finds the account, the former one no longer does", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const [kept, ended] = [aSession(user.id), aSession(user.id)];
      for (const session of [kept, ended]) await store.loginSessions.insert(session);
      const { tokenHash, email } = await link(store, user);
      expect(await store.accountLinks.find("new-email", tokenHash)).toMatchObject({ userId: user.id, email });
      const both = await Promise.all([1, 2].map(() => use(store, user, tokenHash, kept.tokenHash)));
      const former = { email: user.email, isConfirmed: false };
      expect(both.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
        { kind: "changed", former },
        { kind: "over" },
      ]);
      const found = await store.users.findByEmail(email.toUpperCase());
      expect(found).toMatchObject({ id: user.id, email, emailConfirmedAt: clock.now() });
      expect(await store.users.findByEmail(user.email ?? "")).toBeNull();
      expect((await store.loginSessions.listForUser(user.id)).map(({ id }) => id)).toEqual([kept.id]);
      await store.users.insert(aUser({ email: user.email }));
    });

    it("a link to another account's e-mail is refused when used, and works later if that e-mail becomes free", async () => {
      const { store } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      const spelled = (other.email ?? "").toUpperCase();
      const { tokenHash } = await link(store, user, spelled);
      expect(await use(store, user, tokenHash)).toEqual({ kind: "taken" });
      expect((await store.users.find(user.id))?.email).toBe(user.email);
      await store.users.delete(other.id);
      expect((await use(store, user, tokenHash)).kind).toBe("changed");
    });

    it("of two accounts that change to the same e-mail concurrently, one succeeds", async () => {
      const { store } = fixture;
      const email = newAddress();
      const pair = await Promise.all(
        [1, 2].map(async () => {
          const user = await insertUser(store);
          return { user, ...(await link(store, user, email)) };
        }),
      );
      const done = await Promise.all(pair.map(({ user, tokenHash }) => use(store, user, tokenHash)));
      expect(done.map(({ kind }) => kind).toSorted()).toEqual(["changed", "taken"]);
    });

    it("two accounts that concurrently change to tags of each other's mailbox do not deadlock", async () => {
      const { store, clock } = fixture;
      for (let round = 0; round < 5; round++) {
        const [one, two] = [randomUUID(), randomUUID()];
        const swap = async (from: string, to: string) => {
          const user = aUser({ email: `${from}@swap.example`, emailConfirmedAt: clock.now() });
          await store.users.insert(user);
          return { user, ...(await link(store, user, `${to}+new@swap.example`)) };
        };
        const pair = [await swap(one, two), await swap(two, one)];
        const done = await Promise.all(pair.map(({ user, tokenHash }) => use(store, user, tokenHash)));
        expect(done.map(({ kind }) => kind)).toEqual(["changed", "changed"]);
      }
    });

    it("ends every link to the former e-mail; a link requested before another change is invalid", async () => {
      const { store, clock } = fixture;
      const user = await insertUser(store);
      const expiresAt = new Date(clock.now().getTime() + 30 * MINUTE_MS);
      const hashes = { reset: randomBytes(32), "sign-in": randomBytes(32), email: randomBytes(32) };
      for (const [kind, tokenHash] of Object.entries(hashes)) {
        const own = { kind: kind as keyof typeof hashes, userId: user.id, email: user.email ?? "" };
        await store.accountLinks.issue({ ...own, tokenHash, expiresAt });
      }
      const { tokenHash } = await link(store, user);
      expect((await use(store, user, tokenHash)).kind).toBe("changed");
      for (const [kind, hash] of Object.entries(hashes))
        expect(await store.accountLinks.find(kind as keyof typeof hashes, hash), kind).toBeNull();
      // This link was requested while the account had another e-mail.
      const stale = await link(store, user);
      expect(await use(store, user, stale.tokenHash)).toEqual({ kind: "over" });
    });

    it("works only for the account it was made for, and until it expires", async () => {
      const { store, clock } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      const { tokenHash } = await link(store, user);
      expect(await use(store, other, tokenHash)).toEqual({ kind: "over" });
      const byWallet = () => aUser({ email: null, passwordHash: null, walletAddress: word(), authMethod: "wallet" });
      const [asker, stranger] = [byWallet(), byWallet()];
      for (const it of [asker, stranger]) await store.users.insert(it);
      // Neither account has an e-mail, so only the account id tells whose link it is.
      const first = await link(store, asker, newAddress(), null);
      expect(await use(store, stranger, first.tokenHash)).toEqual({ kind: "over" });
      expect((await use(store, asker, first.tokenHash)).kind).toBe("changed");
      clock.advance(30 * MINUTE_MS);
      expect(await use(store, user, tokenHash)).toEqual({ kind: "over" });
    });

    it("a new password, and the removal of a way to sign in, end a link to a new e-mail", async () => {
      const { store } = fixture;
      const user = aUser({ walletAddress: word() });
      await store.users.insert(user);
      const first = await link(store, user);
      await store.users.changePassword(user.id, { from: user.passwordHash ?? "", to: "new", keepSession: null });
      expect(await use(store, user, first.tokenHash)).toEqual({ kind: "over" });
      const second = await link(store, user);
      await store.users.removeWay(user.id, { way: "wallet", issuer: null, keepSession: null });
      expect(await use(store, user, second.tokenHash)).toEqual({ kind: "over" });
    });

    it("afterwards the new mailbox and the former confirmed one are confirmed destinations; a former unconfirmed one is not", async () => {
      const { store, clock } = fixture;
      const [proven, unproven] = [aUser({ emailConfirmedAt: clock.now() }), aUser()];
      for (const user of [proven, unproven]) {
        await store.users.insert(user);
        const { tokenHash, email } = await link(store, user);
        await use(store, user, tokenHash);
        const states = await store.destinations.states(user.id, [email, user.email ?? ""]);
        expect(states.get(email)).toBe("confirmed");
        expect(states.get(user.email ?? "")).toBe(user === proven ? "confirmed" : "new");
      }
    });

    it("an account without an e-mail can add one", async () => {
      const { store } = fixture;
      const user = aUser({ email: null, passwordHash: null, walletAddress: word(), authMethod: "wallet" });
      await store.users.insert(user);
      const { tokenHash, email } = await link(store, user, newAddress(), null);
      expect(await use(store, user, tokenHash)).toEqual({
        kind: "changed",
        former: { email: null, isConfirmed: false },
      });
      expect(await store.users.find(user.id)).toMatchObject({ email, authMethod: "wallet" });
    });

    it("a wallet can be linked once, and to one account only", async () => {
      const { store } = fixture;
      const [user, other] = [await insertUser(store), await insertUser(store)];
      const address = word();
      const both = await Promise.all([user, other].map(({ id }) => store.users.linkWallet(id, address)));
      expect(both.toSorted()).toEqual(["linked", "taken"]);
      const owner = both[0] === "linked" ? user : other;
      expect((await store.users.findByWallet(address))?.id).toBe(owner.id);
      expect(await store.users.linkWallet(owner.id, address)).toBe("linked");
      expect(await store.users.linkWallet(owner.id, word())).toBe("has_one");
      expect(await store.users.linkWallet(randomUUID(), word())).toBe("gone");
    });

    it("a Google account is linked whatever its address; a removed one is linked again only by the signed-in owner", async () => {
      const { store, clock } = fixture;
      const user = aUser({ emailConfirmedAt: clock.now() });
      await store.users.insert(user);
      const other = await insertUser(store);
      const name = subject();
      expect(await store.users.attachGoogle(user.id, name)).toBe("linked");
      expect(await store.users.attachGoogle(other.id, name)).toBe("taken");
      expect(await store.users.attachGoogle(user.id, subject())).toBe("has_one");
      expect((await store.users.findByGoogle(name))?.id).toBe(user.id);
      expect(await store.users.removeWay(user.id, { way: "google", issuer, keepSession: null })).toBe("removed");
      expect(await store.users.findByGoogle(name)).toBeNull();
      expect(await store.users.find(user.id)).toMatchObject({ googleId: null, isGoogleRemoved: true });
      expect(await store.users.linkGoogle(user.id, name, user.email ?? "")).toBe(false);
      expect(await store.users.attachGoogle(user.id, name)).toBe("linked");
      expect((await store.users.find(user.id))?.isGoogleRemoved).toBeUndefined();
    });

    it("two tabs that concurrently remove the last two ways to sign in leave one", async () => {
      const { store } = fixture;
      for (let round = 0; round < 5; round++) {
        const name = subject();
        const ways = { walletAddress: word(), googleId: name.subject, googleIssuer: issuer };
        const user = aUser({ email: null, passwordHash: null, authMethod: "wallet", ...ways });
        await store.users.insert(user);
        const remove = (way: "wallet" | "google") => store.users.removeWay(user.id, { way, issuer, keepSession: null });
        const both = await Promise.all([remove("wallet"), remove("google")]);
        expect(both.toSorted()).toEqual(["last", "removed"]);
        const left = await store.users.find(user.id);
        expect([left?.walletAddress, left?.googleId].filter((it) => it !== null)).toHaveLength(1);
        expect(left?.authMethod).toBe(both[0] === "removed" ? "google" : "wallet");
      }
    });

    it("a removal ends the other sessions; a refused removal ends none", async () => {
      const { store } = fixture;
      const user = aUser({ walletAddress: word() });
      await store.users.insert(user);
      const [kept, ended] = [aSession(user.id), aSession(user.id)];
      for (const session of [kept, ended]) await store.loginSessions.insert(session);
      const input = { issuer, keepSession: kept.tokenHash };
      expect(await store.users.removeWay(user.id, { way: "google", ...input })).toBe("missing");
      expect(await store.loginSessions.listForUser(user.id)).toHaveLength(2);
      expect(await store.users.removeWay(user.id, { way: "wallet", ...input })).toBe("removed");
      expect((await store.loginSessions.listForUser(user.id)).map(({ id }) => id)).toEqual([kept.id]);
      expect(await store.users.findByWallet(user.walletAddress ?? "")).toBeNull();
    });
  });
});
