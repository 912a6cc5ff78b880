/** Which key forwarded mail is encrypted to: the alias' choice before the account's. A chosen key can't be deleted. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { EncryptionChoice, RouteChange } from "../../../core/alias/alias.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

describe("the key that forwarded mail is encrypted to", () => {
  onEachDatabase((fixture) => {
    const aPerson = async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      return { store, userId, alias, address: `${alias.name}@${alias.domain}` };
    };
    const insertKey = async (userId: string, publicKey: string) => {
      const id = randomUUID();
      const key = { id, userId, keyName: "k", publicKey, encryptedPrivateKey: "w", isDefault: false };
      await fixture.store.encryptionKeys.insert({ ...key, createdAt: new Date() }, 50);
      return id;
    };
    const choose = (userId: string, aliasId: string, sealTo: EncryptionChoice) =>
      fixture.store.aliases.update(userId, aliasId, () => ({ sealTo }));

    it("is the alias' own, otherwise the account's, otherwise none; the mail path finds it by address and by id", async () => {
      const { store, userId, alias, address } = await aPerson();
      const [mine, other] = [await insertKey(userId, "age1account"), await insertKey(userId, "age1alias")];
      const found = async () => [
        (await store.aliases.findRoute(address))?.ageRecipient,
        (await store.aliases.findRouteById(alias.id))?.ageRecipient,
      ];
      expect(await found()).toEqual([null, null]);
      expect(await store.users.changeSettings(userId, { sealTo: mine })).toEqual({
        leakGuard: true,
        aliasInQuotes: false,
        hidesFirstSteps: false,
        remembersContacts: true,
        sealTo: mine,
      });
      expect(await found()).toEqual(["age1account", "age1account"]);
      expect(await choose(userId, alias.id, { keyId: other })).toMatchObject({ sealTo: { keyId: other } });
      expect(await found()).toEqual(["age1alias", "age1alias"]);
      await choose(userId, alias.id, "off");
      expect(await found()).toEqual([null, null]);
      await choose(userId, alias.id, "account");
      expect(await store.aliases.find(userId, alias.id)).toEqual(alias);
      await store.users.changeSettings(userId, { sealTo: "off" });
      expect(await found()).toEqual([null, null]);
    });

    it("is unchanged when another field of the alias or the account is changed", async () => {
      const { store, userId, alias } = await aPerson();
      const key = await insertKey(userId, "age1one");
      await store.users.changeSettings(userId, { sealTo: key });
      await choose(userId, alias.id, { keyId: key });
      await store.aliases.update(userId, alias.id, () => ({ notes: "new" }));
      expect(await store.users.changeSettings(userId, { leakGuard: false })).toEqual({
        leakGuard: false,
        aliasInQuotes: false,
        hidesFirstSteps: false,
        remembersContacts: true,
        sealTo: key,
      });
      expect(await store.users.changeSettings(userId, { sealTo: "off" })).toEqual({
        leakGuard: false,
        aliasInQuotes: false,
        hidesFirstSteps: false,
        remembersContacts: true,
        sealTo: "off",
      });
      expect((await store.aliases.find(userId, alias.id))?.sealTo).toEqual({ keyId: key });
    });

    it("must be one of the account's keys: another one is refused and nothing changes", async () => {
      const [ann, bob] = [await aPerson(), await aPerson()];
      const bobs = await insertKey(bob.userId, "age1bob");
      for (const keyId of [bobs, randomUUID()]) {
        const refused = { code: "invalid", details: { errors: { sealTo: [expect.any(String)] } } };
        await expect(ann.store.users.changeSettings(ann.userId, { sealTo: keyId })).rejects.toMatchObject(refused);
        await expect(choose(ann.userId, ann.alias.id, { keyId })).rejects.toMatchObject(refused);
      }
      expect((await ann.store.users.settings(ann.userId))?.sealTo).toBe("off");
      expect((await ann.store.aliases.find(ann.userId, ann.alias.id))?.sealTo).toBe("account");
      expect(await ann.store.users.changeSettings(randomUUID(), { sealTo: "off" })).toBeNull();
    });

    it("a change makes cached routes stale at once: those of one alias, or of the whole account", async () => {
      const { store, userId, alias } = await aPerson();
      const key = await insertKey(userId, "age1one");
      // PostgreSQL sends a process its own notifications too, later, so the listener may be called twice for one
      // change.
      const heard: RouteChange[] = [];
      store.aliases.onRouteChange((change) => void heard.push(change));
      await store.users.changeSettings(userId, { leakGuard: false });
      expect(heard).toEqual([]);
      const other = await insertAlias(store, userId);
      await choose(userId, alias.id, { keyId: key });
      expect(heard).toContainEqual({ aliasId: alias.id });
      expect(heard).not.toContainEqual({ aliasId: other.id });
      await store.users.changeSettings(userId, { sealTo: key });
      expect(heard).toContainEqual({ aliasId: other.id });
    });

    it("can't be deleted while it is chosen; the refusal names five aliases and counts the rest", async () => {
      const { store, userId, alias } = await aPerson();
      const key = await insertKey(userId, "age1one");
      await choose(userId, alias.id, { keyId: key });
      await store.users.changeSettings(userId, { sealTo: key });
      for (let count = 0; count < 6; count += 1) {
        await insertAlias(store, userId, { sealTo: { keyId: key } });
      }
      const refusal: unknown = await store.encryptionKeys.delete(userId, key).catch((thrown: unknown) => thrown);
      expect(refusal).toMatchObject({ code: "key_in_use" });
      const { message } = (refusal as { details: { message: string } }).details;
      expect(message).toContain("all your aliases (in Settings)");
      expect(message.match(/@kauke\.test/g)).toHaveLength(5);
      expect(message).toContain("2 more");
      expect(await store.encryptionKeys.count(userId)).toBe(1);
    });

    it("when it is deleted and chosen concurrently, one fails: a chosen key always exists", async () => {
      const { store, userId, alias } = await aPerson();
      for (let round = 0; round < 10; round += 1) {
        const key = await insertKey(userId, "age1one");
        const [deleted] = await Promise.allSettled([
          store.encryptionKeys.delete(userId, key),
          choose(userId, alias.id, { keyId: key }),
          store.users.changeSettings(userId, { sealTo: key }),
        ]);
        const isThere = (await store.encryptionKeys.find(userId, key)) !== null;
        const { sealTo } = (await store.users.settings(userId)) ?? {};
        const own = (await store.aliases.find(userId, alias.id))?.sealTo;
        const isChosen = sealTo === key || (typeof own === "object" && own.keyId === key);
        expect([deleted.status === "fulfilled", isThere]).toEqual([!isThere, isChosen]);
        await choose(userId, alias.id, "account");
        await store.users.changeSettings(userId, { sealTo: "off" });
      }
    });

    it("is deleted with the account, chosen or not", async () => {
      const { store, userId, alias, address } = await aPerson();
      const key = await insertKey(userId, "age1one");
      await choose(userId, alias.id, { keyId: key });
      await store.users.changeSettings(userId, { sealTo: key });
      await store.users.delete(userId);
      expect(await store.aliases.findRoute(address)).toBeNull();
      expect(await store.encryptionKeys.find(userId, key)).toBeNull();
    });
  });
});
