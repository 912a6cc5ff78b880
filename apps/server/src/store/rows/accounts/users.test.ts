import { describe, expect, it } from "vitest";
import { aMessage, anAlias, anOpenDelivery, aSession, aUser } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

describe("accounts", () => {
  onEachDatabase((fixture) => {
    it("reads back an account by id, and by e-mail in any letter case", async () => {
      const { store } = fixture;
      const user = aUser({ email: `Ann.${Date.now()}@Example.org`, firstName: "Ann", balanceCents: 1250 });
      await store.users.insert(user);
      expect(await store.users.find(user.id)).toEqual(user);
      expect(await store.users.findByEmail((user.email ?? "").toLowerCase())).toEqual(user);
      expect(await store.users.findByEmail("nobody@example.org")).toBeNull();
    });

    it("an e-mail is unique in any letter case, also with concurrent inserts", async () => {
      const { store } = fixture;
      const email = `Race.${Date.now()}@example.org`;
      const tries = [email, email.toUpperCase()].map((it) => store.users.insert(aUser({ email: it })));
      const results = await Promise.allSettled(tries);
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused.map((result) => result.reason)).toMatchObject([{ code: "email_taken" }]);
    });

    it("is found by the subject together with its issuer only", async () => {
      const { store } = fixture;
      const name = { issuer: "https://issuer.example", subject: `s${Date.now()}` };
      const user = aUser({ googleId: name.subject, googleIssuer: name.issuer, authMethod: "google" });
      expect(await store.users.insertIfFree(user)).toBe(true);
      expect(await store.users.findByGoogle(name)).toEqual(user);
      expect(await store.users.findByGoogle({ ...name, issuer: "https://other.example" })).toBeNull();
      expect(await store.users.findByGoogle({ ...name, subject: `${name.subject}0` })).toBeNull();
    });

    it("is not inserted if its e-mail or subject exists, also with concurrent inserts", async () => {
      const { store } = fixture;
      const google = { googleId: `twice${Date.now()}`, googleIssuer: "https://issuer.example" };
      const both = await Promise.all([1, 2].map(() => store.users.insertIfFree(aUser(google))));
      expect(both.sort()).toEqual([false, true]);
      const { email } = await insertUser(store);
      expect(await store.users.insertIfFree(aUser({ email }))).toBe(false);
    });

    it("a subject is linked only to the account that has confirmed the e-mail", async () => {
      const { store } = fixture;
      const name = { issuer: "https://issuer.example", subject: `link${Date.now()}` };
      const confirmed = aUser({ emailConfirmedAt: new Date("2026-03-01T12:00:00.000Z") });
      const unconfirmed = aUser();
      for (const user of [confirmed, unconfirmed]) await store.users.insert(user);
      const link = (user: typeof confirmed, email = user.email ?? "") => store.users.linkGoogle(user.id, name, email);
      expect(await link(unconfirmed)).toBe(false);
      expect(await link(confirmed, "another@example.org")).toBe(false);
      expect(await link(aUser())).toBe(false);
      expect(await link(confirmed, confirmed.email?.toUpperCase())).toBe(true);
      const linked = { ...confirmed, googleId: name.subject, googleIssuer: name.issuer, updatedAt: expect.any(Date) };
      expect(await store.users.findByGoogle(name)).toEqual(linked);
      expect(await link(confirmed)).toBe(false);
      const other = aUser({ emailConfirmedAt: new Date("2026-03-01T12:00:00.000Z") });
      await store.users.insert(other);
      expect(await link(other)).toBe(false);
      await store.users.delete(confirmed.id);
      expect(await link(other)).toBe(true);
    });

    it("a new password hash replaces the old one and changes nothing else", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      const from = user.passwordHash ?? "";
      expect(await store.users.replaceHash(user.id, { from, to: "$argon2id$new" })).toBe(true);
      const { updatedAt: _, ...rest } = user;
      expect(await store.users.find(user.id)).toMatchObject({ ...rest, passwordHash: "$argon2id$new" });
    });

    it("settings have defaults until they are changed, and a new password does not change them", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      expect(await store.users.settings(user.id)).toEqual({
        leakGuard: true,
        aliasInQuotes: false,
        remembersContacts: true,
        hidesFirstSteps: false,
        sealTo: "off",
      });
      await store.users.changeSettings(user.id, { leakGuard: false });
      const from = user.passwordHash ?? "";
      expect(await store.users.replaceHash(user.id, { from, to: "$argon2id$new" })).toBe(true);
      expect(await store.users.settings(user.id)).toEqual({
        leakGuard: false,
        aliasInQuotes: false,
        remembersContacts: true,
        hidesFirstSteps: false,
        sealTo: "off",
      });
      expect(Object.keys((await store.users.find(user.id)) ?? {}).sort()).toEqual(Object.keys(user).sort());
      expect(await store.users.settings(aUser().id)).toBeNull();
    });

    it("counts what an account has", async () => {
      const { store } = fixture;
      const { id } = await insertUser(store);
      await insertAlias(store, id);
      await insertAlias(store, id, { routing: { state: "paused", lastDestinations: [] } });
      const none = { smtpCredentials: 0, encryptionKeys: 0, emailJobs: 0 };
      expect(await store.users.stats(id)).toEqual({ aliases: 2, activeAliases: 1, ...none });
    });

    it("deleting an account removes all its rows, queued mail and bodies, and none of another account", async () => {
      const { store } = fixture;
      const [gone, stays] = [await insertUser(store), await insertUser(store)];
      const [goneAlias, staysAlias] = [await insertAlias(store, gone.id), await insertAlias(store, stays.id)];
      const [own, shared] = [aMessage(), aMessage()];
      for (const message of [own, shared]) await store.bodies.put(message.id, [Buffer.from("body")]);
      await store.deliveries.enqueue(own, [anOpenDelivery(own, goneAlias)]);
      await store.deliveries.enqueue(shared, [anOpenDelivery(shared, goneAlias), anOpenDelivery(shared, staysAlias)]);
      const session = aSession(gone.id);
      await store.loginSessions.insert(session);
      await store.users.delete(gone.id);
      expect(await store.users.find(gone.id)).toBeNull();
      expect(await store.loginSessions.find(session.tokenHash)).toBeNull();
      expect(await store.aliases.findRouteById(goneAlias.id)).toBeNull();
      expect(await store.deliveries.isKnownMessage(own.id)).toBe(false);
      expect(await store.bodies.get(own.id)).toBeNull();
      expect(await store.deliveries.countForAlias(staysAlias.id)).toBe(1);
      expect(await store.bodies.get(shared.id)).not.toBeNull();
    });

    it("the e-mail of a deleted account may register again, but its alias addresses stay reserved", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      const alias = await insertAlias(store, user.id);
      await store.users.delete(user.id);
      const again = aUser({ email: user.email });
      await store.users.insert(again);
      const retake = store.aliases.insert(anAlias(again.id, { name: alias.name }));
      await expect(retake).rejects.toMatchObject({ code: "alias_released" });
    });

    it("mail that arrives while its account is being deleted is refused, never stored without an owner", async () => {
      const { store } = fixture;
      const user = await insertUser(store);
      const alias = await insertAlias(store, user.id);
      await store.users.delete(user.id);
      const message = aMessage();
      const keep = store.deliveries.enqueue(message, [anOpenDelivery(message, alias)]);
      await expect(keep).rejects.toMatchObject({ code: "spool_failed" });
      expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
    });
  });
});
