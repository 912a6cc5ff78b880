import { describe, expect, it } from "vitest";
import { aMessage, anOpenDelivery } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

describe("the figures of the queue", () => {
  onEachDatabase((fixture) => {
    it("count every open delivery and each message once, and leave out mail kept for the operator", async () => {
      const { store } = fixture;
      expect(await store.deliveries.figures()).toEqual({ open: 0, oldestAt: null, messageBytes: 0 });
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const [twice, once] = [aMessage(), aMessage()];
      const old = new Date("2026-02-01T00:00:00.000Z");
      await store.deliveries.enqueue(twice, [anOpenDelivery(twice, alias), anOpenDelivery(twice, alias)]);
      await store.deliveries.enqueue(once, [anOpenDelivery(once, alias, { createdAt: old })]);
      await store.deliveries.keepForOperator(aMessage(), "postmaster@kauke.test");
      expect(await store.deliveries.figures()).toEqual({
        open: 3,
        oldestAt: old,
        messageBytes: twice.sizeBytes + once.sizeBytes,
      });
    });
  });
});
