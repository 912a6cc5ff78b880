import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Alias } from "../../core/alias/alias.ts";
import type { Store } from "../open-store.ts";
import { aMessage, anOpenDelivery } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

describe("returning deliveries without an attempt", () => {
  onEachDatabase((fixture) => {
    let now: Date;
    let store: Store;
    let userId: string;
    let alias: Alias;

    beforeEach(async () => {
      store = fixture.store;
      now = fixture.clock.now();
      userId = (await insertUser(store)).id;
      alias = await insertAlias(store, userId);
    });
    afterEach(() => store.users.delete(userId));

    const later = (ms: number) => new Date(now.getTime() + ms);
    const claim = async (at: Date) =>
      (await store.deliveries.claim({ now: at, leaseMs: 60_000, limit: 10 })).deliveries;

    async function keepOne(): Promise<void> {
      const message = aMessage();
      await store.deliveries.enqueue(message, [anOpenDelivery(message, alias, { attempts: 3, notBefore: now })]);
    }

    it("each delivery is due again at its given time, with no attempt counted", async () => {
      await keepOne();
      await keepOne();
      const held = await claim(now);
      await store.deliveries.putBack(held.map((it, index) => ({ ...it, notBefore: later(1000 * (index + 1)) })));
      expect(await claim(later(999))).toEqual([]);
      expect(await claim(later(1000))).toMatchObject([{ id: held[0]?.id, attempts: 3 }]);
      expect(await claim(later(2000))).toMatchObject([{ id: held[1]?.id, attempts: 3 }]);
    });

    it("a lost lease changes nothing", async () => {
      await keepOne();
      const [first] = await claim(now);
      const [second] = await claim(later(60_000));
      expect(second?.id).toBe(first?.id);
      if (first !== undefined) await store.deliveries.putBack([{ ...first, notBefore: now }]);
      expect(await claim(later(60_000))).toEqual([]);
    });
  });
});
