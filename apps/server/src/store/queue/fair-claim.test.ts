/** Claims take turns between accounts, at a cost that does not grow with the length of the queue. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Alias } from "../../core/alias/alias.ts";
import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { Store } from "../open-store.ts";
import { aMessage, anOpenDelivery } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

describe("claims in turns between accounts", () => {
  onEachDatabase((fixture) => {
    let now: Date;
    let store: Store;
    let accounts: Alias[];

    beforeEach(async () => {
      store = fixture.store;
      now = fixture.clock.now();
      accounts = [];
      for (let made = 0; made < 3; made++) {
        const { id } = await insertUser(store);
        accounts.push(await insertAlias(store, id));
      }
    });
    afterEach(async () => {
      for (const { userId } of accounts) await store.users.delete(userId);
    });

    const [busy, other, third] = [0, 1, 2];
    const aliasOf = (account: number) => accounts[account] as Alias;
    const userOf = (account: number) => aliasOf(account).userId;

    async function keep(account: number, count: number, changes: Partial<Parameters<typeof anOpenDelivery>[2]> = {}) {
      const kept = Array.from({ length: count }, (_, index) => {
        const message = aMessage();
        const notBefore = new Date(now.getTime() - 60_000 + account * 10_000 + index);
        return store.deliveries.enqueue(message, [
          anOpenDelivery(message, aliasOf(account), { notBefore, ...changes }),
        ]);
      });
      await Promise.all(kept);
    }

    /** Keeps a hundred deliveries in each message, which takes less time. */
    async function keepMany(account: number, hundreds: number) {
      for (let kept = 0; kept < hundreds; kept++) {
        const message = aMessage();
        const notBefore = new Date(now.getTime() - 50_000 + kept);
        const deliveries = Array.from({ length: 100 }, () => anOpenDelivery(message, aliasOf(account), { notBefore }));
        await store.deliveries.enqueue(message, deliveries);
      }
    }

    async function claim(
      options: { limit: number; ownLimit?: number } & Partial<Parameters<Store["deliveries"]["claim"]>[0]>,
    ) {
      const claimed = await store.deliveries.claim({ now, leaseMs: 60_000, ownLimit: 0, ...options });
      const counts = accounts.map(({ userId }) => claimed.deliveries.filter((it) => it.userId === userId).length);
      return { counts, isMore: claimed.isMore, isCutShort: claimed.isCutShort };
    }

    it("an account with few deliveries is served beside one with many, although its deliveries are due later", async () => {
      await keep(busy, 30);
      await keep(other, 2);
      expect(await claim({ limit: 6 })).toEqual({ counts: [4, 2, 0], isMore: true, isCutShort: true });
    });

    it("an account with running attempts is served after one without", async () => {
      await keep(busy, 30);
      await keep(other, 5);
      const running = new Map([[userOf(busy), 10]]);
      expect((await claim({ limit: 5, running })).counts).toEqual([0, 5, 0]);
    });

    it("an account gets a limited share of one claim, and one at its limit gets nothing", async () => {
      await keep(busy, 10);
      await keep(other, 10);
      const shares = await claim({ limit: 10, perAccount: 3 });
      expect(shares).toEqual({ counts: [3, 3, 0], isMore: true, isCutShort: false });
      expect((await claim({ limit: 10, full: [userOf(busy)] })).counts).toEqual([0, 7, 0]);
      expect(await claim({ limit: 10, full: [userOf(busy)] })).toEqual({
        counts: [0, 0, 0],
        isMore: true,
        isCutShort: false,
      });
    });

    it("due deliveries of other accounts are found, however many belong to accounts at their limit", async () => {
      await keep(busy, 200);
      await keep(other, 3);
      await keep(third, 1);
      const full = [userOf(busy)];
      const first = await claim({ limit: 4, full });
      const second = await claim({ limit: 4, full });
      const third_ = await claim({ limit: 4, full });
      const sum = [0, 1, 2].map((at) => [first, second, third_].reduce((total, it) => total + (it.counts[at] ?? 0), 0));
      expect(sum).toEqual([0, 3, 1]);
      expect(first.isMore).toBe(true);
    });

    it("the same limits apply to mail with a priority", async () => {
      await keep(busy, 200, { priority: 10 });
      await keep(other, 1, { priority: 1 });
      await keep(third, 1);
      const claims = [await claim({ limit: 4, perAccount: 2 }), await claim({ limit: 4, full: [userOf(busy)] })];
      expect(claims.reduce((total, it) => total + (it.counts[1] ?? 0), 0)).toBe(1);
      expect(claims.reduce((total, it) => total + (it.counts[2] ?? 0), 0)).toBe(1);
    });

    it("the server's own mail has a separate limit, which accounts' mail neither uses nor reduces", async () => {
      const target = (purpose: DeliveryTarget["purpose"]) =>
        ({
          purpose,
          destination: { kind: "mailbox", address: "a@b.example" },
          aliasAddress: "no-reply@kauke.test",
        }) as const;
      await keep(busy, 100, { priority: 10 });
      await keep(other, 1, { target: target("account"), notBefore: now });
      await keep(other, 1, { target: target("report"), notBefore: now });
      await keep(third, 1, { target: target("confirm"), notBefore: now });
      expect((await claim({ limit: 2, ownLimit: 0 })).counts).toEqual([2, 0, 0]);
      expect((await claim({ limit: 0, ownLimit: 8, full: accounts.map((it) => it.userId) })).counts).toEqual([0, 2, 1]);
      expect((await claim({ limit: 0, ownLimit: 8 })).counts).toEqual([0, 0, 0]);
    });

    it("a claim takes about as long on a long queue as on a short one", async () => {
      const timed = async () => {
        let least = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 5; round++) {
          const began = performance.now();
          await claim({ limit: 8, perAccount: 2, full: [userOf(busy)] });
          least = Math.min(least, performance.now() - began);
        }
        return least;
      };
      await keep(busy, 300);
      const short = await timed();
      await keepMany(busy, 60);
      expect(await timed()).toBeLessThan(5 * short + 20);
    }, 120_000);
  });
});
