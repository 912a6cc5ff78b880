import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Alias } from "../../core/alias/alias.ts";
import type { SmtpCredential } from "../../core/smtp-credential.ts";
import type { Store } from "../open-store.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

const createdAt = new Date("2026-03-02T08:00:00.000Z");
const addressOf = ({ name, domain }: Alias) => `${name}@${domain}`;

async function insertCredential(store: Store, alias: Alias, password = "first"): Promise<SmtpCredential> {
  const input = { id: randomUUID(), userId: alias.userId, aliasId: alias.id, password, createdAt };
  const made = await store.smtpCredentials.insert(input);
  if (made === null) throw new Error("the alias should be there");
  return made;
}

const keyOf = ({ id, userId, aliasId }: SmtpCredential) => ({ userId, aliasId, credentialId: id });

describe("SMTP credentials", () => {
  onEachDatabase((fixture) => {
    const aPerson = async () => {
      const { id: userId } = await insertUser(fixture.store);
      const alias = await insertAlias(fixture.store, userId, { name: `Shop.${randomUUID().slice(0, 8)}` });
      return { store: fixture.store, userId, alias };
    };

    it("an alias has none at first, then one pair, whose user name is spelled as the alias", async () => {
      const { store, userId, alias } = await aPerson();
      expect(await store.smtpCredentials.listForAlias(userId, alias.id)).toEqual([]);
      expect(await store.smtpCredentials.readPassword(userId, alias.id)).toBeNull();
      const made = await insertCredential(store, alias);
      expect(made).toEqual({
        id: made.id,
        userId,
        aliasId: alias.id,
        username: addressOf(alias),
        active: true,
        lastUsedOn: null,
        createdAt,
      });
      expect(await store.smtpCredentials.listForAlias(userId, alias.id)).toEqual([made]);
      expect(await store.smtpCredentials.readPassword(userId, alias.id)).toBe("first");
    });

    it("a second pair for an alias is refused, also with concurrent inserts", async () => {
      const { store, alias } = await aPerson();
      const tries = await Promise.allSettled([insertCredential(store, alias), insertCredential(store, alias)]);
      const refused = tries.filter((it) => it.status === "rejected");
      expect(refused.map((it) => it.reason)).toMatchObject([{ code: "smtp_credential_exists" }]);
      await expect(insertCredential(store, alias)).rejects.toMatchObject({ code: "smtp_credential_exists" });
    });

    it("another account's credentials read as absent and can't be changed", async () => {
      const { store, userId, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      const { userId: strangerId, alias: theirs } = await aPerson();
      const { smtpCredentials } = store;
      expect(await smtpCredentials.listForAlias(strangerId, alias.id)).toBeNull();
      expect(await smtpCredentials.readPassword(strangerId, alias.id)).toBeNull();
      expect(await smtpCredentials.insert({ ...made, userId: strangerId, password: "x" })).toBeNull();
      for (const key of [
        { ...keyOf(made), userId: strangerId },
        { ...keyOf(made), userId: strangerId, aliasId: theirs.id },
        { ...keyOf(made), credentialId: randomUUID() },
      ]) {
        expect(await smtpCredentials.replacePassword(key, "x")).toBeNull();
        expect(await smtpCredentials.delete(key)).toBe(false);
      }
      expect(await smtpCredentials.readPassword(userId, alias.id)).toBe("first");
    });

    it("sign in by the address in any letter case, and by no other name", async () => {
      const { store, userId, alias } = await aPerson();
      const { id: credentialId } = await insertCredential(store, alias);
      const address = addressOf(alias).toLowerCase();
      const login = {
        credentialId,
        aliasId: alias.id,
        userId,
        aliasAddress: address,
        password: "first",
        isPaused: false,
        lastUsedOn: null,
        stamp: expect.any(String),
      };
      for (const name of [address, address.toUpperCase(), addressOf(alias)])
        expect(await store.smtpCredentials.findLogin(name)).toEqual(login);
      for (const name of ["", alias.name, `${address}.`, ` ${address}`, "nobody@kauke.test"])
        expect(await store.smtpCredentials.findLogin(name)).toBeNull();
    });

    it("a new password replaces the old one at once and changes the stamp", async () => {
      const { store, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      const before = await store.smtpCredentials.findLogin(made.username);
      expect(await store.smtpCredentials.replacePassword(keyOf(made), "second")).toEqual(made);
      const after = await store.smtpCredentials.findLogin(made.username);
      expect([before?.password, after?.password]).toEqual(["first", "second"]);
      expect(after?.stamp).not.toBe(before?.stamp);
      const standing = { stamp: after?.stamp, isPaused: false };
      expect(await store.smtpCredentials.findStanding(made.id)).toEqual(standing);
    });

    it("a deleted pair can't sign in, and the alias can have another one", async () => {
      const { store, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      expect(await store.smtpCredentials.delete(keyOf(made))).toBe(true);
      expect(await store.smtpCredentials.delete(keyOf(made))).toBe(false);
      expect(await store.smtpCredentials.findLogin(made.username)).toBeNull();
      expect(await store.smtpCredentials.findStanding(made.id)).toBeNull();
      await insertCredential(store, alias, "anew");
      expect((await store.smtpCredentials.findLogin(made.username))?.password).toBe("anew");
    });

    it("follow a rename: the new name signs in, the old one is unknown, and the stamp of open sessions is invalid", async () => {
      const { store, userId, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      const before = await store.smtpCredentials.findLogin(made.username);
      const name = `${alias.name}-new`;
      await store.aliases.update(userId, alias.id, () => ({ name }));
      expect(await store.smtpCredentials.findLogin(made.username)).toBeNull();
      const after = await store.smtpCredentials.findLogin(`${name}@${alias.domain}`);
      expect(after).toMatchObject({ credentialId: made.id, aliasAddress: `${name}@${alias.domain}`.toLowerCase() });
      expect(after?.stamp).not.toBe(before?.stamp);
      const listed = await store.smtpCredentials.listForAlias(userId, alias.id);
      expect(listed).toEqual([{ ...made, username: `${name}@${alias.domain}` }]);
      const next = await insertAlias(store, userId, { name: alias.name });
      await insertCredential(store, next, "of the next");
      expect((await store.smtpCredentials.findLogin(made.username))?.aliasId).toBe(next.id);
    });

    it("the day of the last sign-in is stored, at most once a day, and survives a new password", async () => {
      const { store, userId, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      for (const day of ["2026-03-01", "2026-03-01", "2026-03-02"]) {
        await store.smtpCredentials.noteUse(made.id, day);
        expect((await store.smtpCredentials.findLogin(made.username))?.lastUsedOn).toBe(day);
      }
      await store.smtpCredentials.replacePassword(keyOf(made), "second");
      expect((await store.smtpCredentials.listForAlias(userId, alias.id))?.[0]?.lastUsedOn).toBe("2026-03-02");
    });

    it("a refused rename does not change the user name", async () => {
      const { store, userId, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      const taken = await insertAlias(store, userId);
      const rename = store.aliases.update(userId, alias.id, () => ({ name: taken.name }));
      await expect(rename).rejects.toMatchObject({ code: "alias_taken" });
      expect((await store.smtpCredentials.findLogin(made.username))?.credentialId).toBe(made.id);
    });

    it("when created and renamed concurrently, the user name is the alias' final address", async () => {
      for (let round = 0; round < 5; round += 1) {
        const { store, userId, alias } = await aPerson();
        const name = `${alias.name}-late`;
        await Promise.all([insertCredential(store, alias), store.aliases.update(userId, alias.id, () => ({ name }))]);
        expect(await store.smtpCredentials.findLogin(addressOf(alias))).toBeNull();
        expect((await store.smtpCredentials.findLogin(`${name}@${alias.domain}`))?.aliasId).toBe(alias.id);
      }
    });

    it("a paused alias is distinguished from an unknown user name", async () => {
      const { store, userId, alias } = await aPerson();
      const made = await insertCredential(store, alias);
      const pause = () => ({ routing: { state: "paused" as const, lastDestinations: [] } });
      await store.aliases.update(userId, alias.id, pause);
      expect(await store.smtpCredentials.findLogin(made.username)).toMatchObject({ isPaused: true });
      expect(await store.smtpCredentials.findStanding(made.id)).toMatchObject({ isPaused: true });
    });

    it("are deleted with their alias and with their account", async () => {
      const { store, userId, alias } = await aPerson();
      const [one, two] = [
        await insertCredential(store, alias),
        await insertCredential(store, await insertAlias(store, userId)),
      ];
      await store.aliases.delete(userId, alias.id);
      expect(await store.smtpCredentials.findLogin(one.username)).toBeNull();
      expect(await store.smtpCredentials.findLogin(two.username)).not.toBeNull();
      await store.users.delete(userId);
      expect(await store.smtpCredentials.findLogin(two.username)).toBeNull();
    });

    it("only active aliases with credentials are listed as able to send, and the account counts them", async () => {
      const { store, userId, alias } = await aPerson();
      const paused = await insertAlias(store, userId, { routing: { state: "paused", lastDestinations: [] } });
      await insertAlias(store, userId);
      for (const it of [alias, paused]) await insertCredential(store, it);
      expect(await store.aliases.listWithSmtp(userId)).toEqual([alias]);
      expect(await store.users.stats(userId)).toMatchObject({ aliases: 3, smtpCredentials: 2 });
    });

    it.runIf(fixture.severalProcesses)(
      "a password changed by one process stops working in another at once",
      async () => {
        const second = await fixture.openSecond();
        try {
          const { store, alias } = await aPerson();
          const made = await insertCredential(store, alias);
          expect((await second.smtpCredentials.findLogin(made.username))?.password).toBe("first");
          await store.smtpCredentials.replacePassword(keyOf(made), "second");
          expect((await second.smtpCredentials.findLogin(made.username))?.password).toBe("second");
          await store.smtpCredentials.delete(keyOf(made));
          expect(await second.smtpCredentials.findLogin(made.username)).toBeNull();
        } finally {
          await second.close();
        }
      },
    );
  });
});

describe("webhook secrets", () => {
  onEachDatabase((fixture) => {
    it("a new secret is in the route of the mail path and survives other changes of the alias", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const heard: unknown[] = [];
      store.aliases.onRouteChange((change) => void heard.push(change));
      const webhookSecret = Buffer.alloc(32, 7);
      expect(await store.aliases.update(userId, alias.id, () => ({ webhookSecret }))).toEqual(alias);
      expect(heard).toContainEqual({ aliasId: alias.id });
      await store.aliases.update(userId, alias.id, () => ({ name: `${alias.name}x`, notes: "n" }));
      expect((await store.aliases.findRouteById(alias.id))?.webhookSecret).toEqual(webhookSecret);
    });
  });
});
