import { randomBytes, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { ApiKey } from "../../../core/api-key.ts";
import { anApiKey } from "../../rows.testing.ts";
import { insertUser, onEachDatabase } from "../../stores.testing.ts";

onEachDatabase((database) => {
  it("an API key is found by its hash and listed with its name, newest first", async () => {
    const { store } = database;
    const { id: userId } = await insertUser(store);
    const older = anApiKey(userId);
    const newer = anApiKey(userId, { expiresAt: null, createdAt: new Date("2026-03-02T12:00:00.000Z") });
    for (const key of [older, newer]) expect(await store.apiKeys.insert(key, 2)).toBe(true);
    const { hash, id, scopes, expiresAt } = older;
    expect(await store.apiKeys.find(hash)).toEqual({ id, userId, scopes, expiresAt, lastUsedOn: null });
    expect(await store.apiKeys.find(randomBytes(32))).toBeNull();
    const listed = await store.apiKeys.listForUser(userId);
    expect([newer, older]).toMatchObject(listed);
    expect(listed.map((key) => Object.keys(key).includes("hash"))).toEqual([false, false]);
    expect(await store.apiKeys.listForUser(randomUUID())).toEqual([]);
  });

  it("an account never exceeds its maximum of API keys, even when they are created concurrently", async () => {
    const { store } = database;
    const { id: userId } = await insertUser(store);
    const made = await Promise.all(Array.from({ length: 6 }, () => store.apiKeys.insert(anApiKey(userId), 3)));
    expect(made.filter(Boolean)).toHaveLength(3);
    expect(await store.apiKeys.listForUser(userId)).toHaveLength(3);
    expect(await store.apiKeys.insert(anApiKey(randomUUID()), 3)).toBe(false);
  });

  it("the day of an API key's last use is stored, also under concurrent requests", async () => {
    const { store } = database;
    const { id: userId } = await insertUser(store);
    const key = anApiKey(userId);
    await store.apiKeys.insert(key, 1);
    for (const day of ["2026-03-05", "2026-03-05", "2026-03-06", "2026-03-04"]) {
      await Promise.all(Array.from({ length: 5 }, () => store.apiKeys.noteUse(key.id, day)));
      expect((await store.apiKeys.find(key.hash))?.lastUsedOn).toBe(day);
    }
    await store.apiKeys.noteUse(randomUUID(), "2026-03-05");
  });

  it("a revoked API key is refused by another process at once", async () => {
    const { store, severalProcesses, openSecond } = database;
    const other = severalProcesses ? await openSecond() : store;
    try {
      const { id: userId } = await insertUser(store);
      const ends = [
        (key: ApiKey) => store.apiKeys.deleteById(userId, key.id),
        () => store.apiKeys.deleteForUser(userId),
        () => store.users.delete(userId),
      ];
      for (const end of ends) {
        const key = anApiKey(userId);
        await store.apiKeys.insert(key, 1);
        // The statement is prepared in the other process before the key is revoked.
        for (let count = 0; count < 3; count += 1) expect((await other.apiKeys.find(key.hash))?.userId).toBe(userId);
        await end(key);
        expect(await other.apiKeys.find(key.hash)).toBeNull();
        expect(await store.apiKeys.find(key.hash)).toBeNull();
      }
    } finally {
      if (severalProcesses) await other.close();
    }
  });

  it("an account cannot revoke an API key of another account", async () => {
    const { store } = database;
    const [owner, other] = [await insertUser(store), await insertUser(store)];
    const key = anApiKey(owner.id);
    await store.apiKeys.insert(key, 1);
    expect(await store.apiKeys.deleteById(other.id, key.id)).toBe(false);
    expect(await store.apiKeys.deleteForUser(other.id)).toBe(0);
    expect(await store.apiKeys.find(key.hash)).not.toBeNull();
    expect(await store.apiKeys.deleteForUser(owner.id)).toBe(1);
  });
});
