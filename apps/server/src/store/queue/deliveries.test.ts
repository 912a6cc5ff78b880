import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Alias } from "../../core/alias/alias.ts";
import { type LeasedDelivery, SPOOL_ROW_BYTES } from "../../core/delivery/delivery.ts";
import { QueueRefusal } from "../../runtime/fair-queue/fair-queue.ts";
import type { Store } from "../open-store.ts";
import { aMessage, anOpenDelivery } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";
import { orSpoolFailed } from "./deliveries.ts";
import { fitsOperatorCap } from "./kept-messages.ts";

const leaseMs = 60_000;
const failure = { code: "mailbox_full", enhancedStatus: "4.2.2" } as const;
const after = (date: Date, ms: number) => new Date(date.getTime() + ms);

describe("the delivery queue", () => {
  onEachDatabase((fixture) => {
    const now = new Date("2026-03-01T12:00:00.000Z");
    let store: Store;
    let userId: string;
    let alias: Alias;

    beforeEach(async () => {
      store = fixture.store;
      userId = (await insertUser(store)).id;
      alias = await insertAlias(store, userId);
    });
    afterEach(() => store.users.delete(userId));

    const keepOne = async (change: Parameters<typeof anOpenDelivery>[2] = {}) => {
      const message = aMessage();
      const delivery = anOpenDelivery(message, alias, change);
      await store.deliveries.enqueue(message, [delivery]);
      return { message, delivery };
    };
    const claim = async (at: Date, limit = 10, from = store) =>
      (await from.deliveries.claim({ now: at, leaseMs, limit })).deliveries;

    it("hands out due deliveries with everything an attempt needs, and the end of the lease", async () => {
      const { message, delivery } = await keepOne({ attempts: 3 });
      expect(await claim(after(now, -1))).toEqual([]);
      const { notBefore: _, lease: __, lastFailure: ___, ...same } = delivery;
      expect(await claim(now)).toEqual([
        {
          ...same,
          envelope: message.envelope,
          sizeBytes: message.sizeBytes,
          leaseToken: expect.any(String),
          leasedUntil: after(now, leaseMs),
        },
      ]);
      expect(await claim(now)).toEqual([]);
    });

    it("claims the oldest deliveries first, up to the limit", async () => {
      const times = [3, 1, 2].map((seconds) => after(now, -seconds * 1000));
      for (const notBefore of times) await keepOne({ notBefore });
      const first = await claim(now, 2);
      const second = await claim(now, 2);
      const ids = [...first, ...second].map((it) => it.id);
      expect(first).toHaveLength(2);
      expect(new Set(ids).size).toBe(3);
      expect(await claim(after(now, -2999))).toEqual([]);
    });

    it("concurrent claims hand out no delivery twice", async () => {
      const second = fixture.severalProcesses ? await fixture.openSecond() : store;
      try {
        for (let made = 0; made < 30; made += 1) await keepOne();
        const claims = Array.from({ length: 12 }, (_, at) => claim(now, 5, at % 2 === 0 ? store : second));
        const ids = (await Promise.all(claims)).flat().map((it) => it.id);
        // A claim skips rows that another claim has locked.
        for (let more = await claim(now); more.length > 0; more = await claim(now))
          ids.push(...more.map((it) => it.id));
        expect(ids).toHaveLength(30);
        expect(new Set(ids).size).toBe(30);
      } finally {
        if (second !== store) await second.close();
      }
    });

    it("reports for each alias whether none of its destinations took the message", async () => {
      const other = await insertAlias(store, userId);
      const keepSome = async (...aliases: Alias[]) => {
        const message = aMessage();
        await store.deliveries.enqueue(
          message,
          aliases.map((it) => anOpenDelivery(message, it)),
        );
        const held = await claim(now);
        // Ends the claimed deliveries one after another, in the order of `aliases`.
        return async (...ends: ("taken" | "failed")[]) => {
          const told: boolean[] = [];
          for (const [at, end] of ends.entries()) {
            const next = held.find((it) => it.aliasId === aliases[at]?.id) as LeasedDelivery;
            held.splice(held.indexOf(next), 1);
            const outcome = end === "taken" ? null : failure;
            told.push((await store.deliveries.finish(next.id, next.leaseToken, outcome)).isTakenByNone);
          }
          return told;
        };
      };
      expect(await (await keepSome(alias))("failed")).toEqual([true]);
      expect(await (await keepSome(alias))("taken")).toEqual([false]);
      expect(await (await keepSome(alias, alias))("failed", "failed")).toEqual([false, true]);
      expect(await (await keepSome(alias, alias))("failed", "taken")).toEqual([false, false]);
      expect(await (await keepSome(alias, alias))("taken", "failed")).toEqual([false, false]);
      expect(await (await keepSome(alias, other))("taken", "failed")).toEqual([false, true]);
      expect(await (await keepSome(alias, other, alias))("failed", "taken", "failed")).toEqual([false, false, true]);
    });

    it.each([
      [["failed", "failed"], 1],
      [["failed", "taken"], 0],
      [["taken", "taken"], 0],
    ] as const)("tells it once of destinations that end at the same moment: %j", async (ends, count) => {
      const message = aMessage();
      await store.deliveries.enqueue(
        message,
        ends.map(() => anOpenDelivery(message, alias)),
      );
      const held = await claim(now);
      const outcomes = ends.map((end) => (end === "taken" ? null : failure));
      const told = await Promise.all(
        held.map((it, at) => store.deliveries.finish(it.id, it.leaseToken, outcomes[at] ?? null)),
      );
      expect(told.filter((it) => it.isTakenByNone)).toHaveLength(count);
      expect(told.filter((it) => it.messageDone !== null)).toHaveLength(1);
    });

    it("an expired lease can be claimed by another worker, and its former holder can change nothing", async () => {
      await keepOne();
      const [lost] = (await claim(now)) as [LeasedDelivery];
      expect(await claim(after(now, leaseMs - 1))).toEqual([]);
      const [taken] = (await claim(after(now, leaseMs))) as [LeasedDelivery];
      expect(taken.id).toBe(lost.id);
      expect(await store.deliveries.extendLease(lost.id, lost.leaseToken, after(now, 1e6))).toBe(false);
      const next = { notBefore: now, failure };
      expect(await store.deliveries.defer(lost.id, lost.leaseToken, next)).toBe(false);
      expect(await store.deliveries.finish(lost.id, lost.leaseToken, null)).toEqual({
        finished: false,
        messageDone: null,
        isTakenByNone: false,
      });
      expect((await store.deliveries.finish(taken.id, taken.leaseToken, null)).finished).toBe(true);
    });

    it("an extended lease is not handed out at its original end", async () => {
      await keepOne();
      const [held] = (await claim(now)) as [LeasedDelivery];
      expect(await store.deliveries.extendLease(held.id, held.leaseToken, after(now, 2 * leaseMs))).toBe(true);
      expect(await claim(after(now, leaseMs))).toEqual([]);
      expect(await claim(after(now, 2 * leaseMs))).toHaveLength(1);
    });

    it("a delivery enqueued under the lease of a running attempt can be finished by that attempt", async () => {
      const lease = { token: randomUUID(), until: after(now, 1000) };
      const { message, delivery } = await keepOne({ lease });
      expect(await claim(now)).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toEqual(lease.until);
      expect(await store.deliveries.finish(delivery.id, lease.token, null)).toMatchObject({
        finished: true,
        messageDone: message.id,
      });
    });

    it("a deferred delivery is due again at its time, with one more attempt counted", async () => {
      await keepOne({ attempts: 1 });
      const [held] = (await claim(now)) as [LeasedDelivery];
      const notBefore = after(now, 30_000);
      expect(await store.deliveries.defer(held.id, held.leaseToken, { notBefore, failure })).toBe(true);
      expect(await store.deliveries.nextDueAt()).toEqual(notBefore);
      expect(await claim(after(notBefore, -1))).toEqual([]);
      expect(await claim(notBefore)).toMatchObject([{ id: held.id, attempts: 2 }]);
    });

    it("the message is deleted with its last delivery, also when the last two end concurrently", async () => {
      for (let round = 0; round < 5; round += 1) {
        const message = aMessage();
        await store.deliveries.enqueue(message, [anOpenDelivery(message, alias), anOpenDelivery(message, alias)]);
        const held = await claim(now);
        const ends = await Promise.all(held.map((it) => store.deliveries.finish(it.id, it.leaseToken, null)));
        expect(ends.map((end) => end.finished)).toEqual([true, true]);
        expect(ends.filter((end) => end.messageDone === message.id)).toHaveLength(1);
        expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
      }
    });

    it("a message and its deliveries are stored together or not at all", async () => {
      const message = aMessage();
      const good = anOpenDelivery(message, alias);
      const bad = { ...good, userId: randomUUID() };
      await expect(store.deliveries.enqueue(message, [good, { ...bad, id: randomUUID() }])).rejects.toMatchObject({
        code: "spool_failed",
      });
      expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
      expect(await store.deliveries.countForAlias(alias.id)).toBe(0);
    });

    it("among many messages enqueued together, one whose account is gone fails alone", async () => {
      const messages = Array.from({ length: 12 }, () => aMessage());
      const gone = messages[7]?.id;
      const keeps = messages.map((message) => {
        const delivery = anOpenDelivery(message, alias);
        const userIdOfIt = message.id === gone ? randomUUID() : delivery.userId;
        return store.deliveries.enqueue(message, [{ ...delivery, userId: userIdOfIt }]);
      });
      const ends = await Promise.allSettled(keeps);
      expect(ends.map((end) => end.status === "fulfilled")).toEqual(messages.map(({ id }) => id !== gone));
      expect(await store.deliveries.countForAlias(alias.id)).toBe(11);
      expect(await store.deliveries.isKnownMessage(gone ?? "")).toBe(false);
    });

    it("deliveries finished and deferred together each get their own result, and a lost lease changes nothing", async () => {
      for (let made = 0; made < 12; made += 1) await keepOne();
      const held = await claim(now, 12);
      const token = (index: number) => (index % 4 === 3 ? "somebody else's" : (held[index]?.leaseToken ?? ""));
      const next = { notBefore: after(now, 9000), failure };
      const ends = await Promise.all(
        held.map(async (it, index) =>
          index % 2 === 0
            ? (await store.deliveries.finish(it.id, token(index), null)).messageDone === it.messageId
            : await store.deliveries.defer(it.id, token(index), next),
        ),
      );
      expect(ends).toEqual(held.map((_, index) => index % 4 !== 3));
      expect(await claim(after(now, 8999))).toEqual([]);
      expect(await claim(after(now, 9000))).toHaveLength(3);
      expect(await store.deliveries.count()).toBe(6);
    });

    it("messages enqueued, finished and deleted with their account concurrently leave no message behind", async () => {
      const other = (await insertUser(store)).id;
      const theirs = await insertAlias(store, other);
      const messages = Array.from({ length: 8 }, () => aMessage());
      for (const message of messages)
        await store.deliveries.enqueue(message, [anOpenDelivery(message, alias), anOpenDelivery(message, theirs)]);
      const held = await claim(now, 16);
      expect(held).toHaveLength(16);
      const ends = held
        .filter((it) => it.userId === userId)
        .map((it) => store.deliveries.finish(it.id, it.leaseToken, null));
      await Promise.all([...ends, store.users.delete(other)]);
      expect(await Promise.all(messages.map(({ id }) => store.deliveries.isKnownMessage(id)))).not.toContain(true);
      expect(await store.deliveries.count()).toBe(0);
    });

    it("deliveries with released leases are due again at their own time", async () => {
      await keepOne();
      await claim(now);
      expect(await store.deliveries.releaseLeases()).toBe(1);
      expect(await claim(now)).toHaveLength(1);
    });

    it("counts open deliveries, and reports when none is left", async () => {
      expect(await store.deliveries.nextDueAt()).toBeNull();
      await keepOne();
      await keepOne({ notBefore: after(now, 5000) });
      expect(await store.deliveries.countForAlias(alias.id)).toBe(2);
      expect(await store.deliveries.count()).toBe(2);
      expect(await store.deliveries.nextDueAt()).toEqual(now);
    });

    it("sums the bytes of an account and of an alias: each message once, plus a fixed size per open delivery", async () => {
      const other = await insertAlias(store, userId);
      const bytesOf = () =>
        Promise.all([
          store.deliveries.spoolBytes("account", userId),
          store.deliveries.spoolBytes("alias", alias.id),
          store.deliveries.spoolBytes("alias", other.id),
          store.deliveries.spoolBytes("account", randomUUID()),
        ]);
      expect(await bytesOf()).toEqual([0, 0, 0, 0]);
      const both = aMessage({ sizeBytes: 1_000_000 });
      const open = [anOpenDelivery(both, alias), anOpenDelivery(both, alias), anOpenDelivery(both, other)];
      await store.deliveries.enqueue(both, open);
      await keepOne();
      const { sizeBytes } = aMessage();
      const [row, message] = [SPOOL_ROW_BYTES, 1_000_000];
      expect(await bytesOf()).toEqual([
        message + 3 * row + sizeBytes + row,
        message + 3 * row + sizeBytes,
        message + row,
        0,
      ]);
      for (const { id, leaseToken } of await claim(now)) await store.deliveries.finish(id, leaseToken, null);
      expect(await bytesOf()).toEqual([0, 0, 0, 0]);
    });

    it("wakes the delivery worker when a delivery is waiting, not when all of them are leased", async () => {
      const heard: (Date | null)[] = [];
      store.deliveries.onWake((dueAt) => void heard.push(dueAt));
      // PostgreSQL sends a process its own notifications too, in order, so those of earlier tests arrive first.
      const last = after(now, 7000);
      await keepOne({ notBefore: last });
      const ofLast = () => heard.filter((dueAt) => dueAt?.getTime() === last.getTime()).length;
      await expect.poll(ofLast, { timeout: 30_000 }).toBe(fixture.severalProcesses ? 2 : 1);
      heard.length = 0;
      await keepOne({ lease: { token: randomUUID(), until: after(now, 1000) } });
      expect(heard).toEqual([]);
      await keepOne();
      expect(heard.length).toBeGreaterThan(0);
    });

    if (fixture.severalProcesses)
      it("notifies the delivery worker of another process of the time a delivery is due", async () => {
        const second = await fixture.openSecond();
        try {
          const woken = new Promise<Date | null>((resolve) => second.deliveries.onWake(resolve));
          const { delivery } = await keepOne({ notBefore: after(now, 5000) });
          expect(await woken).toEqual(delivery.notBefore);
        } finally {
          await second.close();
        }
      });

    it("the operator's mail is stored, listed and deleted, and never handed to the delivery worker", async () => {
      const message = aMessage();
      await store.deliveries.keepForOperator(message, "postmaster@kauke.test");
      expect(await store.deliveries.countKeptForOperator()).toBe(1);
      expect(await claim(after(now, 1e9))).toEqual([]);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await store.deliveries.count()).toBe(0);
      const { id: messageId, envelope, sizeBytes, createdAt } = message;
      const kept = { messageId, envelope, sizeBytes, createdAt, address: "postmaster@kauke.test" };
      expect(await store.deliveries.listKeptForOperator()).toEqual([kept]);
      expect(await store.deliveries.deleteKeptForOperator(message.id)).toBe(true);
      expect(await store.deliveries.deleteKeptForOperator(message.id)).toBe(false);
      expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
    });

    it("the operator's mail is capped, and the oldest message of the sender with most messages is evicted", async () => {
      const from = (clientAddress: string, mebibytes: number) => {
        const message = aMessage({ sizeBytes: mebibytes * 1024 * 1024 });
        return { ...message, envelope: { ...message.envelope, clientAddress } };
      };
      const quiet = from("203.0.113.5", 1);
      const flood = [from("198.51.100.1", 30), from("198.51.100.2", 30), from("198.51.100.3", 30)];
      for (const it of [quiet, ...flood]) await store.deliveries.keepForOperator(it, "abuse@kauke.test");
      const kept = (await store.deliveries.listKeptForOperator()).map(({ messageId }) => messageId).sort();
      expect(kept).toEqual([quiet, flood[1], flood[2]].map((it) => it?.id).sort());
      const tooLarge = from("192.0.2.1", 65);
      await expect(store.deliveries.keepForOperator(tooLarge, "abuse@kauke.test")).rejects.toMatchObject({
        code: "spool_quota",
      });
      for (const id of kept) await store.deliveries.deleteKeptForOperator(id);
    });
  });
});

describe("the cap on the operator's mail", () => {
  const mebibytes = 1024 * 1024;
  it.each([
    [{ count: 999, bytes: 0 }, 1, true],
    [{ count: 1000, bytes: 0 }, 1, false],
    [{ count: 1, bytes: 63 * mebibytes }, mebibytes, true],
    [{ count: 1, bytes: 63 * mebibytes }, mebibytes + 1, false],
  ])("stored %o, new message of %i bytes, fits: %s", (kept, sizeBytes, fits) => {
    expect(fitsOperatorCap(kept, sizeBytes)).toBe(fits);
  });
});

it("a full queue of the database is no failed spool", async () => {
  const failedBy = (thrown: Error) => orSpoolFailed(() => Promise.reject(thrown));
  await expect(failedBy(new QueueRefusal("busy"))).rejects.toMatchObject({ name: "AppError", code: "busy" });
  await expect(failedBy(new Error("disk"))).rejects.toMatchObject({ code: "spool_failed" });
});
