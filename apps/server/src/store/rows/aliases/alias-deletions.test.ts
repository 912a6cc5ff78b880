import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import type { Alias } from "../../../core/alias/alias.ts";
import { onEachContext } from "../../context.testing.ts";
import { openStore } from "../../open-store.ts";
import { aMessage, anOpenDelivery } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase, StoreTestClock } from "../../stores.testing.ts";
import { plantAccount } from "../accounts/account-rows.testing.ts";
import { releasedAddresses } from "../accounts/released-addresses.ts";
import { deleteDue, startSweep } from "./alias-deletions.ts";

const caps = { account: 5, network: 3, block: 3 };

describe("a deletion in some seconds", () => {
  onEachDatabase(
    (fixture) => {
      const accountOf = async (count: number) => {
        const { id: userId } = await insertUser(fixture.store);
        const aliases: Alias[] = [];
        for (let made = 0; made < count; made++) aliases.push(await insertAlias(fixture.store, userId));
        return { userId, aliases, ids: aliases.map(({ id }) => id) };
      };
      const inSeconds = (seconds: number) => new Date(fixture.clock.now().getTime() + seconds * 1000);
      const mark = (userId: string, ids: readonly string[], seconds = 10) =>
        fixture.store.aliases.deleteLater(userId, ids, { deleteAt: inSeconds(seconds), network: "192.0.2.1" });
      const idsOf = async (userId: string) =>
        (await fixture.store.aliases.listForUser(userId)).map(({ id }) => id).sort();

      it("leaves the alias as it is until then, tells the time, and deletes it once the time has come", async () => {
        const { store, clock } = fixture;
        const { userId, aliases, ids } = await accountOf(2);
        const [gone, stays] = aliases as [Alias, Alias];
        const route = await store.aliases.findRouteById(gone.id);
        const at = inSeconds(10);
        expect(await mark(userId, [gone.id])).toEqual({ changed: 1, failed: new Map() });
        expect(await store.aliases.findRouteById(gone.id)).toEqual(route);
        expect(await store.aliases.find(userId, gone.id)).toEqual({ ...gone, deletesAt: at });
        expect(await store.aliases.find(userId, stays.id)).toEqual(stays);
        clock.advance(9999);
        await store.deleteDueAliases();
        expect(await idsOf(userId)).toEqual(ids.toSorted());
        clock.advance(1);
        expect(await store.deleteDueAliases()).toBe(1);
        expect(await idsOf(userId)).toEqual([stays.id]);
        expect(await store.deleteDueAliases()).toBe(0);
      });

      it("drops the cached route and cancels queued mail only when it is carried out", async () => {
        const { store, clock } = fixture;
        const { userId, aliases } = await accountOf(1);
        const [alias] = aliases as [Alias];
        const message = aMessage();
        await store.bodies.put(message.id, [Buffer.from("body")]);
        await store.deliveries.enqueue(message, [anOpenDelivery(message, alias)]);
        const changes: unknown[] = [];
        store.aliases.onRouteChange((change) => void changes.push(change));
        await mark(userId, [alias.id]);
        expect(changes).toEqual([]);
        expect(await store.deliveries.isKnownMessage(message.id)).toBe(true);
        clock.advance(10_000);
        await store.deleteDueAliases();
        expect(changes).toContainEqual({ userId });
        expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
        const { id: stranger } = await insertUser(store);
        await expect(insertAlias(store, stranger, { name: alias.name })).rejects.toMatchObject({
          code: "alias_released",
        });
      });

      it("does not happen to aliases that are kept, and takes no other account's", async () => {
        const { store, clock } = fixture;
        const { userId, aliases, ids } = await accountOf(3);
        const { userId: stranger, ids: theirs } = await accountOf(1);
        const [kept] = aliases as [Alias];
        expect(await mark(userId, [...ids, ...theirs, randomUUID()])).toMatchObject({ changed: 3 });
        expect((await store.aliases.keepMany(stranger, [kept.id])).failed.get(kept.id)).toBe("not_found");
        expect(await store.aliases.keepMany(userId, [kept.id])).toEqual({ changed: 1, failed: new Map() });
        expect(await store.aliases.find(userId, kept.id)).toEqual(kept);
        clock.advance(10_000);
        await store.deleteDueAliases();
        expect(await idsOf(userId)).toEqual([kept.id]);
        expect(await idsOf(stranger)).toEqual(theirs);
        expect((await store.aliases.keepMany(userId, ids)).failed.size).toBe(2);
      });

      it("keeps its first time when the aliases are marked again, and can be overtaken by a deletion at once", async () => {
        const { store } = fixture;
        const { userId, ids } = await accountOf(2);
        const [first = "", second = ""] = ids;
        const at = inSeconds(5);
        await mark(userId, ids, 5);
        await mark(userId, ids, 50);
        expect((await store.aliases.find(userId, first))?.deletesAt).toEqual(at);
        expect(await store.aliases.delete(userId, first)).toBe(true);
        expect((await store.aliases.deleteMany(userId, [second])).changed).toBe(1);
      });

      it("is refused at once where the account may release no more addresses, marked ones counted", async () => {
        const { store, clock } = fixture;
        caps.account = 5;
        const { userId, ids } = await accountOf(9);
        expect(await mark(userId, ids.slice(0, 3))).toMatchObject({ changed: 3 });
        const more = await mark(userId, ids.slice(2, 7));
        expect([more.changed, [...more.failed.values()]]).toEqual([3, ["rate_limited", "rate_limited"]]);
        await store.aliases.keepMany(userId, ids);
        await mark(userId, ids.slice(0, 2));
        await store.aliases.deleteMany(userId, ids.slice(4, 9));
        clock.advance(10_000);
        expect(await store.deleteDueAliases()).toBe(0);
        // They had no room by then, so their owner has them back.
        const left = await store.aliases.listForUser(userId);
        expect([left.length, left.some(({ deletesAt }) => deletesAt !== undefined)]).toEqual([4, false]);
      });

      it("makes way for a new alias with the same address", async () => {
        const { store, clock } = fixture;
        const { userId, aliases } = await accountOf(1);
        const [{ id, name }] = aliases as [Alias];
        const { id: stranger } = await insertUser(store);
        await mark(userId, [id]);
        await expect(insertAlias(store, stranger, { name })).rejects.toMatchObject({ code: "alias_taken" });
        const again = await insertAlias(store, userId, { name });
        expect(await idsOf(userId)).toEqual([again.id]);
        expect((await store.aliases.keepMany(userId, [id])).failed.get(id)).toBe("not_found");
        clock.advance(10_000);
        await store.deleteDueAliases();
        expect(await idsOf(userId)).toEqual([again.id]);
        await expect(insertAlias(store, userId, { name })).rejects.toMatchObject({ code: "alias_taken" });
      });

      it("of very many aliases is carried out in batches, and by several processes once", async () => {
        const { store, clock } = fixture;
        caps.account = 1001;
        const { userId, ids } = await largeAccount(1001);
        expect((await mark(userId, ids)).changed).toBe(1001);
        clock.advance(10_000);
        const other = fixture.severalProcesses ? await fixture.openSecond() : store;
        await Promise.all([store.deleteDueAliases(), other.deleteDueAliases()]);
        if (other !== store) await other.close();
        await store.deleteDueAliases();
        expect(await idsOf(userId)).toEqual([]);
      });

      async function largeAccount(count: number) {
        const { id: userId } = await insertUser(fixture.store);
        const made: Alias[] = [];
        for (let from = 0; from < count; from += 100)
          made.push(
            ...(await Promise.all(
              Array.from({ length: Math.min(100, count - from) }, () => insertAlias(fixture.store, userId)),
            )),
          );
        return { userId, ids: made.map(({ id }) => id) };
      }

      if (fixture.severalProcesses)
        it("is undone without waiting for aliases that are not marked", async () => {
          const { store } = fixture;
          const { userId, ids } = await accountOf(2);
          const [marked = "", other = ""] = ids;
          await mark(userId, [marked]);
          const client = new pg.Client({ connectionString: fixture.databaseUrl() ?? "" });
          await client.connect();
          await client.query("BEGIN");
          await client.query("SELECT FROM alias WHERE id = $1 FOR UPDATE", [other]);
          expect(await store.aliases.keepMany(userId, ids)).toEqual({ changed: 2, failed: new Map() });
          await client.query("ROLLBACK");
          await client.end();
        });

      if (fixture.severalProcesses)
        it("is carried out by another process when the one that marked it has ended, also one half begun", async () => {
          const { store, clock } = fixture;
          const { userId, ids } = await accountOf(2);
          await mark(userId, ids);
          clock.advance(10_000);
          const second = await fixture.openSecond();
          await vi.waitFor(async () => expect(await idsOf(userId)).toEqual([]), { timeout: 5000 });
          await second.close();
          expect(await store.deleteDueAliases()).toBe(0);
        });
    },
    { releaseCaps: caps },
  );
});

it("a deletion is carried out by the next start when the process ended before its time", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-deletions-"));
  const clock = new StoreTestClock();
  const open = () => openStore({ databaseUrl: null, dataDir, secretKey: null, clock });
  const first = await open();
  const { id: userId } = await insertUser(first);
  const [gone, kept] = [await insertAlias(first, userId), await insertAlias(first, userId)];
  const deleteAt = new Date(clock.now().getTime() + 10_000);
  await first.aliases.deleteLater(userId, [gone.id], { deleteAt, network: null });
  await first.close();
  clock.advance(60_000);
  const second = await open();
  const left = async () => (await second.aliases.listForUser(userId)).map(({ id }) => id);
  await vi.waitFor(async () => expect(await left()).toEqual([kept.id]), { timeout: 5000 });
  await second.close();
  await rm(dataDir, { recursive: true });
});

describe("the sweep of deletions", () => {
  it("runs at the start, at each planned time, and again after a failure", async () => {
    vi.useFakeTimers();
    const clock = new StoreTestClock();
    const work = vi.fn(async () => null);
    const sweep = startSweep({ clock }, { work, logger: undefined });
    await vi.advanceTimersByTimeAsync(100);
    expect(work).toHaveBeenCalledTimes(1);
    work.mockRejectedValueOnce(new Error("no database"));
    sweep.plan(new Date(clock.now().getTime() + 2000));
    sweep.plan(new Date(clock.now().getTime() + 1000));
    await vi.advanceTimersByTimeAsync(1100);
    expect(work).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5100);
    expect(work).toHaveBeenCalledTimes(3);
    await sweep.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(work).toHaveBeenCalledTimes(3);
    vi.useRealTimers();
  });
});

onEachContext((fixture) => {
  it("a deletion that fails for one account holds up no other account, and stays due", async () => {
    const { context } = fixture;
    const accounts = [await plantAccount(context), await plantAccount(context)];
    const [broken, sound] = accounts.toSorted((a, b) => (a.aliasId < b.aliasId ? -1 : 1));
    const past = new Date(context.clock.now().getTime() - 1000);
    await context.db.updateTable("alias").set({ delete_at: past }).execute();
    const real = releasedAddresses(context);
    let isBroken = true;
    const room: typeof real.room = async (db, userId) => {
      if (isBroken && userId === broken?.userId) throw new Error("broken");
      return await real.room(db, userId);
    };
    const parts = { released: { ...real, room }, forgetBodies: async () => {} };
    const left = async () => (await context.db.selectFrom("alias").select("id").execute()).map(({ id }) => id);
    await expect(deleteDue(context, parts)).rejects.toThrow("broken");
    expect(await left()).toEqual([broken?.aliasId]);
    expect(sound).toBeDefined();
    isBroken = false;
    expect(await deleteDue(context, parts)).toBe(1);
    expect(await left()).toEqual([]);
  });
});
