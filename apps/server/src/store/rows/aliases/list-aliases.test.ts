import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Alias, ManyAliasesChange } from "../../../core/alias/alias.ts";
import type { Store } from "../../open-store.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const createdAt = new Date("2026-03-01T12:00:00.000Z");

/** More aliases than are read in one page, so that the list is kept. */
async function fullAccount(store: Store): Promise<{ userId: string; ids: string[]; labelId: string }> {
  const { id: userId } = await insertUser(store);
  const labelId = randomUUID();
  await store.labels.insert({ id: labelId, userId, name: "shops", colour: "teal", createdAt }, 100);
  const inserted = Array.from({ length: 205 }, (_, n) =>
    insertAlias(store, userId, { createdAt: new Date(createdAt.getTime() + (n % 7) * 1000), labels: [labelId] }),
  );
  return { userId, ids: (await Promise.all(inserted)).map(({ id }) => id), labelId };
}

/** The account's aliases as they are in the database now, read without the kept list. */
async function fresh(store: Store, userId: string): Promise<Alias[]> {
  const aliases: Alias[] = [];
  for await (const page of store.aliases.pagesForUser(userId)) aliases.push(...page);
  return aliases.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1));
}

describe("a long list of aliases", () => {
  onEachDatabase((fixture) => {
    it("is the newest first, and the same array until something changes", async () => {
      const { store } = fixture;
      const { userId } = await fullAccount(store);
      const list = await store.aliases.listForUser(userId);
      expect(list).toEqual(await fresh(store, userId));
      expect(list).toHaveLength(205);
      expect(await store.aliases.listForUser(userId)).toBe(list);
    });

    it("shows every change at once, whichever way and process made it", async () => {
      const { store } = fixture;
      const { userId, ids, labelId } = await fullAccount(store);
      const other = fixture.severalProcesses ? await fixture.openSecond() : store;
      const id = (at: number) => ids[at] ?? "";
      const paused: Pick<ManyAliasesChange, "routing"> = { routing: { state: "paused", lastDestinations: [] } };
      const changes: Record<string, (by: Store) => Promise<unknown>> = {
        notes: (by) => by.aliases.update(userId, id(0), () => ({ notes: "changed" })),
        pin: (by) => by.aliases.update(userId, id(1), () => ({ pinned: true })),
        pause: (by) => by.aliases.update(userId, id(2), () => paused),
        rename: (by) => by.aliases.update(userId, id(3), () => ({ name: `renamed-${randomUUID()}` })),
        encryption: (by) => by.aliases.update(userId, id(4), () => ({ sealTo: "off" })),
        "pause many": (by) => by.aliases.updateMany(userId, ids.slice(5, 9), () => paused),
        delete: (by) => by.aliases.delete(userId, id(9)),
        "delete many": (by) => by.aliases.deleteMany(userId, ids.slice(10, 12)),
        insert: (by) => insertAlias(by, userId),
        "delete one and insert one": async (by) => {
          await by.aliases.delete(userId, id(12));
          await insertAlias(by, userId);
        },
        "delete a label": (by) => by.labels.delete(userId, labelId),
      };
      let before = await store.aliases.listForUser(userId);
      for (const [name, change] of Object.entries(changes)) {
        await change(other);
        const after = await store.aliases.listForUser(userId);
        expect(after, name).toEqual(await fresh(store, userId));
        // Control: the change is one.
        expect(after, name).not.toEqual(before);
        before = after;
      }
      if (other !== store) await other.close();
    });

    it("is not touched by changes of other accounts", async () => {
      const { store } = fixture;
      const [{ userId }, { id: otherId }] = [await fullAccount(store), await insertUser(store)];
      const list = await store.aliases.listForUser(userId);
      await insertAlias(store, otherId);
      expect(await store.aliases.listForUser(userId)).toBe(list);
      expect(await store.aliases.listForUser(otherId)).toHaveLength(1);
      expect(await store.aliases.findMany(otherId, [list[0]?.id ?? ""])).toEqual([]);
      expect(await store.aliases.findMany(userId, [list[1]?.id ?? "", list[0]?.id ?? ""])).toEqual(list.slice(0, 2));
    });
  });
});
