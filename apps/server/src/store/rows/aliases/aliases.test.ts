import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import type { RouteChange } from "../../../core/alias/alias.ts";
import { aMessage, anAlias, anOpenDelivery, aUser, mailboxDestination } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const DAY_MS = 86_400_000;

describe("aliases", () => {
  onEachDatabase((fixture) => {
    it("reads back what was stored, newest first", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const old = await insertAlias(store, userId, { createdAt: new Date("2026-01-01T00:00:00Z"), notes: "shop" });
      const paused = await insertAlias(store, userId, {
        createdAt: new Date("2026-01-02T00:00:00Z"),
        routing: { state: "paused", lastDestinations: [{ kind: "webhook", url: "https://hooks.example.org/a" }] },
      });
      expect(await store.aliases.listForUser(userId)).toEqual([paused, old]);
      expect(await store.aliases.find(userId, old.id)).toEqual(old);
    });

    it("an address is unique in any letter case", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const { name } = await insertAlias(store, userId);
      const again = anAlias(userId, { name: name.toUpperCase() });
      await expect(store.aliases.insert(again)).rejects.toMatchObject({ code: "alias_taken" });
      const other = await insertAlias(store, userId);
      const rename = store.aliases.update(userId, other.id, () => ({ name: name.toUpperCase() }));
      await expect(rename).rejects.toMatchObject({ code: "alias_taken" });
    });

    it("the same name on another domain is another alias", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const { name } = await insertAlias(store, userId);
      await insertAlias(store, userId, { name, domain: "slapta.test" });
      expect(await store.aliases.listForUser(userId)).toHaveLength(2);
    });

    it("another account's alias reads as absent", async () => {
      const { store } = fixture;
      const { id: owner } = await insertUser(store);
      const { id: stranger } = await insertUser(store);
      const alias = await insertAlias(store, owner);
      expect(await store.aliases.find(stranger, alias.id)).toBeNull();
      expect(await store.aliases.update(stranger, alias.id, () => ({ notes: "mine" }))).toBeNull();
      expect(await store.aliases.delete(stranger, alias.id)).toBe(false);
      expect(await store.aliases.find(owner, alias.id)).toEqual(alias);
    });

    it("the mail path learns which accounts were registered from one block of addresses, and no address", async () => {
      const { store } = fixture;
      const now = new Date();
      const seenFrom = async (clientAddress?: string) => {
        const user = aUser();
        await store.users.insert(user, { clientAddress });
        const alias = await insertAlias(store, user.id);
        const message = aMessage();
        await store.deliveries.enqueue(message, [anOpenDelivery(message, alias, { notBefore: now })]);
        const { deliveries } = await store.deliveries.claim({ now, leaseMs: 60_000, limit: 100 });
        const route = await store.aliases.findRouteById(alias.id);
        const claimed = deliveries.find((it) => it.messageId === message.id);
        expect(claimed).toBeDefined();
        expect(claimed?.registeredFrom).toBe(route?.registeredFrom);
        expect((await store.aliases.findRoute(route?.address ?? ""))?.registeredFrom).toBe(route?.registeredFrom);
        await store.users.delete(user.id);
        return route?.registeredFrom;
      };
      const seen = [await seenFrom("192.0.2.1"), await seenFrom("192.0.2.99"), await seenFrom("198.51.100.1")];
      expect(seen[0]).toMatch(/^[\w+/]{16}$/);
      expect(seen[1]).toBe(seen[0]);
      expect(seen[2]).not.toBe(seen[0]);
      // Accounts registered behind a proxy on this machine, or before this was stored, count alone.
      expect([await seenFrom("127.0.0.1"), await seenFrom()]).toEqual([undefined, undefined]);
    });

    it("the mail path finds the route by address, paused or not, and none for an unknown address", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId, { name: `Mixed.${randomUUID().slice(0, 8)}` });
      const address = `${alias.name}@kauke.test`.toLowerCase();
      const route = await store.aliases.findRoute(address);
      expect(route).toEqual({
        ageRecipient: null,
        aliasId: alias.id,
        userId,
        address,
        unconfirmed: new Map([["ann@example.org", "new"]]),
        destinations: [mailboxDestination("ann@example.org")],
        pausedWebhooks: [],
        paused: false,
        webhookSecret: expect.any(Buffer),
        replyKey: expect.any(Buffer),
      });
      expect(route?.webhookSecret).toHaveLength(32);
      await store.aliases.update(userId, alias.id, () => ({
        routing: { state: "paused", lastDestinations: [mailboxDestination("ann@example.org")] },
      }));
      const paused = await store.aliases.findRouteById(alias.id);
      expect(paused).toEqual({ ...route, destinations: [], paused: true, unconfirmed: undefined });
      expect(await store.aliases.findRoute("nobody@kauke.test")).toBeNull();
    });

    it("routes that are looked up at the same time are each found, and unknown addresses among them are not", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const aliases = [];
      for (let n = 0; n < 10; n++) aliases.push(await insertAlias(store, userId));
      const addresses = aliases.flatMap(({ name }) => [`${name}@kauke.test`, `no-${name}@kauke.test`]);
      const asked = [...addresses, ...addresses];
      const found = await Promise.all(asked.map((address) => store.aliases.findRoute(address)));
      const expected = aliases.flatMap(({ id }) => [id, undefined]);
      expect(found.map((route) => route?.aliasId)).toEqual([...expected, ...expected]);
      expect(found.map((route) => route?.address)).toEqual(asked.map((it) => (it.startsWith("no-") ? undefined : it)));
      for (const [index, address] of addresses.entries()) {
        expect(await store.aliases.findRoute(address)).toEqual(found[index]);
      }
    });

    it("a route by address is never older than the last change that was acknowledged", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const others = await Promise.all([1, 2, 3, 4, 5].map(() => insertAlias(store, userId)));
      const isPaused = async ({ name } = alias) => (await store.aliases.findRoute(`${name}@kauke.test`))?.paused;
      const lastDestinations = [mailboxDestination("ann@example.org")];
      for (const paused of [true, false, true]) {
        const routing = paused
          ? { state: "paused" as const, lastDestinations }
          : { state: "active" as const, destinations: lastDestinations };
        const overlapping = [...others, alias].map((it) => isPaused(it));
        await store.aliases.update(userId, alias.id, () => ({ routing }));
        expect(await Promise.all([...others, alias].map((it) => isPaused(it)))).toEqual([
          ...others.map(() => false),
          paused,
        ]);
        await Promise.all(overlapping);
      }
    });

    it("a route by id is never older than the last change that was acknowledged", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const isPaused = async () => (await store.aliases.findRouteById(alias.id))?.paused;
      const lastDestinations = [mailboxDestination("ann@example.org")];
      for (const paused of [true, false, true]) {
        const routing = paused
          ? { state: "paused" as const, lastDestinations }
          : { state: "active" as const, destinations: lastDestinations };
        const overlapping = [isPaused(), isPaused()];
        await store.aliases.update(userId, alias.id, () => ({ routing }));
        expect([await isPaused(), await isPaused()]).toEqual([paused, paused]);
        await Promise.all(overlapping);
        expect(await isPaused()).toBe(paused);
      }
      await store.aliases.delete(userId, alias.id);
      expect(await store.aliases.findRouteById(alias.id)).toBeNull();
    });

    it("a route leaves out a webhook that is paused, and names it", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const url = "https://hooks.example.org/gone";
      const gone = { kind: "webhook" as const, url, pausedAt: "2026-11-21T09:00:00.000Z" };
      const routing = { state: "active" as const, destinations: [mailboxDestination("ann@example.org"), gone] };
      const alias = await insertAlias(store, userId, { routing });
      const route = await store.aliases.findRouteById(alias.id);
      expect(route).toMatchObject({
        destinations: [mailboxDestination("ann@example.org")],
        pausedWebhooks: [url],
        paused: false,
      });
      expect((await store.aliases.find(userId, alias.id))?.routing).toEqual(routing);
    });

    it("a change is computed from the current row, and nothing changes when computing it throws", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId, { notes: "0" });
      const addOne = () =>
        store.aliases.update(userId, alias.id, (now) => ({ notes: String(Number(now.notes ?? "0") + 1) }));
      await Promise.all([addOne(), addOne(), addOne(), addOne()]);
      const refuse = store.aliases.update(userId, alias.id, () => {
        throw new Error("no");
      });
      await expect(refuse).rejects.toThrow("no");
      expect((await store.aliases.find(userId, alias.id))?.notes).toBe("4");
    });

    it("a rename frees the old address for the former account only, for 30 days", async () => {
      const { store, clock } = fixture;
      const { id: owner } = await insertUser(store);
      const { id: stranger } = await insertUser(store);
      const { id, name } = await insertAlias(store, owner);
      const renamed = await store.aliases.update(owner, id, () => ({ name: `${name}-new` }));
      expect(renamed?.name).toBe(`${name}-new`);
      expect(await store.aliases.findRoute(`${name}@kauke.test`)).toBeNull();
      const taken = () => store.aliases.insert(anAlias(stranger, { name }));
      await expect(taken()).rejects.toMatchObject({ code: "alias_released" });
      clock.advance(30 * DAY_MS - 1);
      await expect(taken()).rejects.toMatchObject({ code: "alias_released" });
      clock.advance(1);
      await taken();
    });

    it("the former account may take a deleted address again at once", async () => {
      const { store } = fixture;
      const { id: owner } = await insertUser(store);
      const { id: stranger } = await insertUser(store);
      const alias = await insertAlias(store, owner);
      expect(await store.aliases.delete(owner, alias.id)).toBe(true);
      const strange = anAlias(stranger, { name: alias.name });
      await expect(store.aliases.insert(strange)).rejects.toMatchObject({ code: "alias_released" });
      await insertAlias(store, owner, { name: alias.name });
      await expect(store.aliases.insert(strange)).rejects.toMatchObject({ code: "alias_taken" });
    });

    it("changing the letter case of a name releases no address", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const { id, name } = await insertAlias(store, userId);
      const upper = name.toUpperCase();
      expect((await store.aliases.update(userId, id, () => ({ name: upper })))?.name).toBe(upper);
      expect((await store.aliases.findRoute(`${name}@kauke.test`))?.aliasId).toBe(id);
    });

    it("notifies the mail path of pausing, renaming and deleting before the call resolves, and not of changed notes", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const heard: RouteChange[] = [];
      store.aliases.onRouteChange((change) => void heard.push(change));
      const heardAfter = async (work: Promise<unknown>) => {
        heard.length = 0;
        await work;
        return [...heard];
      };
      const change = { aliasId: alias.id };
      expect(await heardAfter(store.aliases.update(userId, alias.id, () => ({ notes: "x" })))).toEqual([]);
      const pause = () => ({ routing: { state: "paused" as const, lastDestinations: [] } });
      expect(await heardAfter(store.aliases.update(userId, alias.id, pause))).toContainEqual(change);
      expect(
        await heardAfter(store.aliases.update(userId, alias.id, () => ({ name: `${alias.name}x` }))),
      ).toContainEqual(change);
      expect(await heardAfter(store.aliases.delete(userId, alias.id))).toContainEqual(change);
    });

    if (fixture.severalProcesses)
      it("another process is notified of a change too", async () => {
        const second = await fixture.openSecond();
        try {
          const { id: userId } = await insertUser(fixture.store);
          const alias = await insertAlias(fixture.store, userId);
          const heard = new Promise((resolve) => second.aliases.onRouteChange(resolve));
          await fixture.store.aliases.delete(userId, alias.id);
          expect(await heard).toEqual({ aliasId: alias.id });
        } finally {
          await second.close();
        }
      });

    it("of two concurrent inserts of one address, one succeeds and the other fails with alias_taken", async () => {
      const second = fixture.severalProcesses ? await fixture.openSecond() : null;
      try {
        const { id: userId } = await insertUser(fixture.store);
        const { id: otherId } = await insertUser(fixture.store);
        const name = `race-${randomUUID().slice(0, 8)}`;
        const results = await Promise.allSettled([
          fixture.store.aliases.insert(anAlias(userId, { name })),
          (second ?? fixture.store).aliases.insert(anAlias(otherId, { name: name.toUpperCase() })),
        ]);
        expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
      } finally {
        await second?.close();
      }
    });

    it("deleting an alias deletes its queued mail, but not a message that is queued for another alias too", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const [gone, stays] = [await insertAlias(store, userId), await insertAlias(store, userId)];
      const [own, shared] = [aMessage(), aMessage()];
      for (const message of [own, shared]) await store.bodies.put(message.id, [Buffer.from("body")]);
      await store.deliveries.enqueue(own, [anOpenDelivery(own, gone)]);
      await store.deliveries.enqueue(shared, [anOpenDelivery(shared, gone), anOpenDelivery(shared, stays)]);
      await store.aliases.delete(userId, gone.id);
      expect(await store.deliveries.countForAlias(gone.id)).toBe(0);
      expect(await store.deliveries.isKnownMessage(own.id)).toBe(false);
      expect(await store.bodies.get(own.id)).toBeNull();
      expect(await store.deliveries.isKnownMessage(shared.id)).toBe(true);
      expect(await store.deliveries.countForAlias(stays.id)).toBe(1);
      expect((await store.bodies.get(shared.id))?.toString()).toBe("body");
    });

    it("lists a few aliases with two statements, and hundreds that have not changed with one", async () => {
      const { store } = fixture;
      const statementsFor = async (count: number) => {
        const { id: userId } = await insertUser(store);
        await Promise.all(Array.from({ length: count }, () => insertAlias(store, userId)));
        // The first run prepares the statements.
        await store.aliases.listForUser(userId);
        // PGlite runs ordinary statements by the first function and prepared ones by the second.
        const embedded = [vi.spyOn(PGlite.prototype, "query"), vi.spyOn(PGlite.prototype, "execProtocolRawStream")];
        const spies = [...embedded, vi.spyOn(pg.Client.prototype, "query")];
        expect(await store.aliases.listForUser(userId)).toHaveLength(count);
        const statements = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
        for (const spy of spies) spy.mockRestore();
        return statements;
      };
      expect(await statementsFor(2)).toBe(2);
      expect(await statementsFor(300)).toBe(1);
    });
  });
});
