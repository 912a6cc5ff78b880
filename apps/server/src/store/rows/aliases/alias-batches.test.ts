import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import type { Alias, RouteChange } from "../../../core/alias/alias.ts";
import { AppError } from "../../../core/app-error.ts";
import { aMessage, anOpenDelivery, mailboxDestination } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const pause = ({ routing }: Alias) =>
  routing.state === "paused" ? {} : { routing: { state: "paused" as const, lastDestinations: routing.destinations } };

describe("changes of many aliases", () => {
  onEachDatabase((fixture) => {
    const accountOf = async (count: number) => {
      const { id: userId } = await insertUser(fixture.store);
      const aliases = await Promise.all(Array.from({ length: count }, () => insertAlias(fixture.store, userId)));
      return { userId, aliases, ids: aliases.map(({ id }) => id) };
    };

    it("are applied, and the aliases that could not be changed are named", async () => {
      const { store } = fixture;
      const { userId, ids } = await accountOf(4);
      const { ids: theirs } = await accountOf(1);
      const [refused, same] = ids as [string, string];
      const unknown = randomUUID();
      const result = await store.aliases.updateMany(userId, [...ids, ...theirs, unknown], (alias) => {
        if (alias.id === refused) throw new AppError("invalid");
        return alias.id === same ? {} : { pinned: true };
      });
      expect(result.changed).toBe(3);
      const codes = [
        [refused, "invalid"],
        [theirs[0], "not_found"],
        [unknown, "not_found"],
      ];
      expect([...result.failed].sort()).toEqual(codes.sort());
      const pinned = (await store.aliases.listForUser(userId)).filter((alias) => alias.pinned);
      expect(pinned.map(({ id }) => id).sort()).toEqual(ids.slice(2).sort());
    });

    it("leave the rest of an alias unchanged: address, destinations, notes and keys", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const routing = {
        state: "active" as const,
        destinations: [mailboxDestination("ann@example.org"), mailboxDestination("bob@example.org")],
      };
      const alias = await insertAlias(store, userId, { notes: "ąčę", sealTo: "off", routing });
      const before = await store.aliases.findRouteById(alias.id);
      await store.aliases.updateMany(userId, [alias.id], () => ({ pinned: true }));
      expect(await store.aliases.find(userId, alias.id)).toEqual({ ...alias, pinned: true });
      expect(await store.aliases.findRouteById(alias.id)).toEqual(before);
      expect((await store.aliases.findRoute(`${alias.name}@kauke.test`))?.aliasId).toBe(alias.id);
    });

    it("leave an alias unchanged that would get a label of another account", async () => {
      const { store } = fixture;
      const { userId, ids } = await accountOf(2);
      const result = await store.aliases.updateMany(userId, ids, () => ({ labels: [randomUUID()] }));
      expect([result.changed, [...result.failed.values()]]).toEqual([0, ["invalid", "invalid"]]);
    });

    it("drop cached routes before their promise resolves, and keep them when only labels or pins change", async () => {
      const { store } = fixture;
      const { userId, ids } = await accountOf(3);
      const heard: RouteChange[] = [];
      store.aliases.onRouteChange((change) => void heard.push(change));
      await store.aliases.updateMany(userId, ids, () => ({ pinned: true }));
      expect(heard).toEqual([]);
      await store.aliases.updateMany(userId, ids, pause);
      expect(heard).toContainEqual({ userId });
      for (const id of ids) expect((await store.aliases.findRouteById(id))?.paused).toBe(true);
      heard.length = 0;
      await store.aliases.deleteMany(userId, ids);
      expect(heard).toContainEqual({ userId });
      for (const id of ids) expect(await store.aliases.findRouteById(id)).toBeNull();
    });

    if (fixture.severalProcesses)
      it("notify the other processes", async () => {
        const second = await fixture.openSecond();
        try {
          const { userId, ids } = await accountOf(2);
          const heard = new Promise((resolve) => second.aliases.onRouteChange(resolve));
          await fixture.store.aliases.updateMany(userId, ids, pause);
          expect(ids).toContain(((await heard) as { aliasId: string }).aliasId);
        } finally {
          await second.close();
        }
      });

    it("that delete aliases reserve each address, and delete queued mail unless another alias receives it too", async () => {
      const { store } = fixture;
      const { userId, aliases } = await accountOf(3);
      const { id: stranger } = await insertUser(store);
      const [gone, goneToo, stays] = aliases as [Alias, Alias, Alias];
      const [own, shared] = [aMessage(), aMessage()];
      for (const message of [own, shared]) await store.bodies.put(message.id, [Buffer.from("body")]);
      await store.deliveries.enqueue(own, [anOpenDelivery(own, gone), anOpenDelivery(own, goneToo)]);
      await store.deliveries.enqueue(shared, [anOpenDelivery(shared, goneToo), anOpenDelivery(shared, stays)]);
      const { changed, failed } = await store.aliases.deleteMany(userId, [gone.id, randomUUID(), goneToo.id]);
      expect([changed, [...failed.values()]]).toEqual([2, ["not_found"]]);
      expect((await store.aliases.listForUser(userId)).map(({ id }) => id)).toEqual([stays.id]);
      expect(await store.deliveries.isKnownMessage(own.id)).toBe(false);
      expect(await store.bodies.get(own.id)).toBeNull();
      expect(await store.deliveries.isKnownMessage(shared.id)).toBe(true);
      for (const { name } of [gone, goneToo])
        await expect(insertAlias(store, stranger, { name })).rejects.toMatchObject({ code: "alias_released" });
    });

    if (fixture.severalProcesses)
      it("take as many statements for many aliases as for few", async () => {
        // Up to a hundred changed routes are announced to other processes one by one, so the test starts above that
        // number.
        const [few, many] = [await accountOf(101), await accountOf(200)];
        const pauseAll = (account: typeof few) => () =>
          fixture.store.aliases.updateMany(account.userId, account.ids, pause);
        const forFew = await statementsOf(pauseAll(few));
        expect(forFew).toBeGreaterThan(3);
        // On a connection that is new, statements are described once more.
        const isAsMany = (count: number, other: number) => expect(Math.abs(count - other)).toBeLessThanOrEqual(2);
        isAsMany(await statementsOf(pauseAll(many)), forFew);
        const deleteAll = (account: typeof few) => () => fixture.store.aliases.deleteMany(account.userId, account.ids);
        isAsMany(await statementsOf(deleteAll(many)), await statementsOf(deleteAll(few)));
      });

    it("to more than 500 aliases take several transactions", async () => {
      const { userId, ids } = await accountOf(501);
      expect((await fixture.store.aliases.updateMany(userId, ids, pause)).changed).toBe(501);
      expect((await fixture.store.aliases.listForUser(userId)).every((it) => it.routing.state === "paused")).toBe(true);
      const { changed, failed } = await fixture.store.aliases.deleteMany(userId, ids);
      expect([changed, failed.size]).toEqual([501, 0]);
      expect(await fixture.store.aliases.listForUser(userId)).toEqual([]);
    });

    it("to the same aliases at the same time do not deadlock", async () => {
      const { userId, ids } = await accountOf(60);
      const backwards = ids.toReversed();
      const results = await Promise.all([
        fixture.store.aliases.updateMany(userId, ids, pause),
        fixture.store.aliases.updateMany(userId, backwards, () => ({ pinned: true })),
        fixture.store.aliases.updateMany(userId, backwards, pause),
      ]);
      expect(results.map(({ changed }) => changed)).toEqual([60, 60, 60]);
    });
  });
});

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, "query");
  await work();
  const statements = spy.mock.calls.length;
  spy.mockRestore();
  return statements;
}
