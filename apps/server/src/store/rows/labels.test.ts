import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Label } from "../../core/label.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

const createdAt = new Date("2026-03-01T12:00:00.000Z");
const aLabel = (userId: string, name: string): Label => ({ id: randomUUID(), userId, name, colour: "teal", createdAt });

describe("labels", () => {
  onEachDatabase((fixture) => {
    const add = async (userId: string, name: string) => {
      const label = aLabel(userId, name);
      expect(await fixture.store.labels.insert(label, 100)).toBeNull();
      return label;
    };

    it("are listed by name, and belong to their account", async () => {
      const { store } = fixture;
      const [{ id: ann }, { id: bob }] = [await insertUser(store), await insertUser(store)];
      const [shops, bank] = [await add(ann, "shops"), await add(ann, "Bank")];
      expect(await store.labels.listForUser(ann)).toEqual([bank, shops]);
      expect(await store.labels.listForUser(bob)).toEqual([]);
      expect(await store.labels.update(bob, shops.id, { name: "mine" })).toBeNull();
      expect(await store.labels.delete(bob, shops.id)).toBe(false);
      expect(await store.labels.update(ann, shops.id, { colour: "red" })).toEqual({ ...shops, colour: "red" });
      expect(await store.labels.delete(ann, shops.id)).toBe(true);
      expect(await store.labels.listForUser(ann)).toEqual([bank]);
    });

    it("have names that are unique in an account, whatever their letter case", async () => {
      const { store } = fixture;
      const [{ id: ann }, { id: bob }] = [await insertUser(store), await insertUser(store)];
      const [shops, bank] = [await add(ann, "Žaislai"), await add(ann, "Bank")];
      expect(await store.labels.insert(aLabel(ann, "žAISLAI"), 100)).toBe("name_taken");
      expect(await store.labels.update(ann, bank.id, { name: "ŽAISLAI" })).toBe("name_taken");
      expect(await store.labels.update(ann, shops.id, { name: "žaislai" })).toMatchObject({ name: "žaislai" });
      await add(bob, "žaislai");
    });

    it("stay unique and limited in number when created concurrently", async () => {
      const { store } = fixture;
      const { id: ann } = await insertUser(store);
      const same = await Promise.all(["one", "ONE", "One"].map((name) => store.labels.insert(aLabel(ann, name), 100)));
      expect(same.filter((it) => it === "name_taken")).toHaveLength(2);
      const many = await Promise.all(["a", "b", "c", "d"].map((name) => store.labels.insert(aLabel(ann, name), 3)));
      expect(many.filter((it) => it === "too_many")).toHaveLength(2);
      expect(await store.labels.listForUser(ann)).toHaveLength(3);
    });

    it("of an alias never include a deleted label", async () => {
      const { store } = fixture;
      const { id: ann } = await insertUser(store);
      const [shops, bank] = [await add(ann, "shops"), await add(ann, "bank")];
      const alias = await insertAlias(store, ann, { labels: [shops.id, bank.id], pinned: true });
      expect(await store.aliases.find(ann, alias.id)).toMatchObject({ labels: [shops.id, bank.id], pinned: true });
      await store.labels.delete(ann, shops.id);
      expect((await store.aliases.find(ann, alias.id))?.labels).toEqual([bank.id]);
      expect((await store.aliases.listForUser(ann))[0]?.labels).toEqual([bank.id]);
      expect((await store.aliases.update(ann, alias.id, () => ({ notes: "x" })))?.labels).toEqual([bank.id]);
    });

    it("are refused on an alias if they are unknown or belong to another account", async () => {
      const { store } = fixture;
      const [{ id: ann }, { id: bob }] = [await insertUser(store), await insertUser(store)];
      const theirs = await add(bob, "theirs");
      const refused = { code: "invalid", details: { errors: { labels: [expect.any(String)] } } };
      for (const id of [theirs.id, randomUUID()]) {
        await expect(insertAlias(store, ann, { labels: [id] })).rejects.toMatchObject(refused);
        const alias = await insertAlias(store, ann);
        const change = store.aliases.update(ann, alias.id, () => ({ labels: [id] }));
        await expect(change).rejects.toMatchObject(refused);
      }
    });
  });
});
