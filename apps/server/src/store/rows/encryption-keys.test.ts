import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { EncryptionKey, NewEncryptionKey } from "../../core/encryption-key.ts";
import type { Store } from "../open-store.ts";
import { insertUser, onEachDatabase } from "../stores.testing.ts";

let made = 0;

/** A new encryption key, created a second after the previous one. */
function aKey(userId: string, change: Partial<NewEncryptionKey> = {}): NewEncryptionKey {
  made += 1;
  return {
    id: randomUUID(),
    userId,
    keyName: `key ${made}`,
    publicKey: `age1${made}`,
    encryptedPrivateKey: `wrapped ${made}`,
    isDefault: false,
    createdAt: new Date(Date.parse("2026-03-01T12:00:00.000Z") + made * 1000),
    ...change,
  };
}

async function insertKey(store: Store, userId: string, change: Partial<NewEncryptionKey> = {}): Promise<EncryptionKey> {
  const kept = await store.encryptionKeys.insert(aKey(userId, change), 50);
  if (kept === null) throw new Error("the key was not kept");
  return kept;
}

describe("encryption keys", () => {
  onEachDatabase((fixture) => {
    const aPerson = async () => ({ store: fixture.store, userId: (await insertUser(fixture.store)).id });
    const defaults = async (userId: string) =>
      (await fixture.store.encryptionKeys.listForUser(userId)).filter((key) => key.isDefault).map((key) => key.id);

    it("are listed newest first, without their private keys, which are read one by one", async () => {
      const { store, userId } = await aPerson();
      expect(await store.encryptionKeys.listForUser(userId)).toEqual([]);
      const [old, young] = [aKey(userId), aKey(userId)];
      await store.encryptionKeys.insert(young, 50);
      await store.encryptionKeys.insert(old, 50);
      const shown = ({ id, keyName, publicKey, createdAt }: NewEncryptionKey, isDefault: boolean) => ({
        id,
        userId,
        keyName,
        publicKey,
        createdAt,
        isDefault,
      });
      expect(await store.encryptionKeys.listForUser(userId)).toEqual([shown(young, true), shown(old, false)]);
      expect(await store.encryptionKeys.find(userId, old.id)).toEqual(old);
      expect(await store.users.stats(userId)).toMatchObject({ encryptionKeys: 2 });
      expect(await store.encryptionKeys.count(userId)).toBe(2);
    });

    it("the first is the default; a later one only on request", async () => {
      const { store, userId } = await aPerson();
      const first = await insertKey(store, userId);
      expect(first.isDefault).toBe(true);
      expect((await insertKey(store, userId)).isDefault).toBe(false);
      expect(await defaults(userId)).toEqual([first.id]);
      const wished = await insertKey(store, userId, { isDefault: true });
      expect(wished.isDefault).toBe(true);
      expect(await defaults(userId)).toEqual([wished.id]);
    });

    it("a key that is made the default replaces the previous default", async () => {
      const { store, userId } = await aPerson();
      const [, second] = [await insertKey(store, userId), await insertKey(store, userId)];
      expect(await store.encryptionKeys.makeDefault(userId, second.id)).toEqual({ ...second, isDefault: true });
      expect(await store.encryptionKeys.makeDefault(userId, second.id)).toEqual({ ...second, isDefault: true });
      expect(await defaults(userId)).toEqual([second.id]);
    });

    it("when the default is deleted, the newest remaining key becomes the default", async () => {
      const { store, userId } = await aPerson();
      const [first, second, third] = [
        await insertKey(store, userId),
        await insertKey(store, userId),
        await insertKey(store, userId),
      ];
      expect(await store.encryptionKeys.delete(userId, first.id)).toBe(true);
      expect(await defaults(userId)).toEqual([third.id]);
      expect(await store.encryptionKeys.delete(userId, second.id)).toBe(true);
      expect(await defaults(userId)).toEqual([third.id]);
      expect(await store.encryptionKeys.delete(userId, third.id)).toBe(true);
      expect(await store.encryptionKeys.delete(userId, third.id)).toBe(false);
      expect(await store.encryptionKeys.listForUser(userId)).toEqual([]);
      expect((await insertKey(store, userId)).isDefault).toBe(true);
    });

    it("another account's keys read as absent and can't be changed", async () => {
      const { store, userId } = await aPerson();
      const [key, second] = [await insertKey(store, userId), await insertKey(store, userId)];
      const { userId: stranger } = await aPerson();
      const { encryptionKeys } = store;
      expect(await encryptionKeys.find(stranger, key.id)).toBeNull();
      expect(await encryptionKeys.makeDefault(stranger, second.id)).toBeNull();
      expect(await encryptionKeys.delete(stranger, second.id)).toBe(false);
      expect(await encryptionKeys.delete(stranger, key.id)).toBe(false);
      expect(await encryptionKeys.listForUser(userId)).toEqual([second, key]);
    });

    it("no account gets more keys than the maximum, also with concurrent inserts", async () => {
      const { store, userId } = await aPerson();
      const tries = await Promise.all(Array.from({ length: 6 }, () => store.encryptionKeys.insert(aKey(userId), 3)));
      expect(tries.filter((kept) => kept !== null)).toHaveLength(3);
      expect(await store.encryptionKeys.count(userId)).toBe(3);
      expect(await defaults(userId)).toHaveLength(1);
    });

    it("concurrent changes leave exactly one default", async () => {
      for (let round = 0; round < 5; round += 1) {
        const { store, userId } = await aPerson();
        const { encryptionKeys } = store;
        const keys: EncryptionKey[] = [];
        for (let count = 0; count < 5; count += 1) keys.push(await insertKey(store, userId));
        await Promise.all([
          ...keys.slice(0, 3).map((key) => encryptionKeys.delete(userId, key.id)),
          ...keys.map((key) => encryptionKeys.makeDefault(userId, key.id)),
          encryptionKeys.insert(aKey(userId, { isDefault: true }), 50),
          encryptionKeys.insert(aKey(userId), 50),
        ]);
        expect(await encryptionKeys.count(userId)).toBe(4);
        expect(await defaults(userId)).toHaveLength(1);
      }
    });

    it("are deleted with their account, which can then have none", async () => {
      const { store, userId } = await aPerson();
      const key = await insertKey(store, userId);
      await store.users.delete(userId);
      expect(await store.encryptionKeys.find(userId, key.id)).toBeNull();
      expect(await store.encryptionKeys.insert(aKey(userId), 50)).toBeNull();
    });
  });
});
