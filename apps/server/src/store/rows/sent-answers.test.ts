import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aMessage, anOpenDelivery } from "../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

const aMark = (endsAt = new Date("2026-12-01T00:00:00Z")) => ({ key: randomBytes(32).toString("hex"), endsAt });

describe("marks of sent answers", () => {
  onEachDatabase((fixture) => {
    it("a mark is known once it was remembered, and until its signature has expired", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const [mark, other] = [aMark(), aMark(new Date("2026-12-03T00:00:00Z"))];
      expect(await store.sentAnswers.listKnown([])).toEqual([]);
      expect(await store.sentAnswers.remember(userId, [mark, other])).toBe(true);
      expect(await store.sentAnswers.remember(userId, [aMark(), other])).toBe(false);
      expect(await store.sentAnswers.listKnown([mark.key, aMark().key])).toEqual([mark.key]);
      expect(await store.sentAnswers.deleteEnded(new Date("2026-12-02T00:00:00Z"))).toBeGreaterThan(0);
      expect(await store.sentAnswers.listKnown([mark.key, other.key])).toEqual([other.key]);
    });

    it("an answer and its marks are stored together or not at all", async () => {
      const { store } = fixture;
      const { id: userId } = await insertUser(store);
      const alias = await insertAlias(store, userId);
      const queue = async (mayRepeat: boolean, marks: readonly ReturnType<typeof aMark>[]) => {
        const message = aMessage({ id: randomUUID() });
        const kept = store.deliveries.enqueue(message, [anOpenDelivery(message, alias)], { userId, marks, mayRepeat });
        return await kept.then(
          () => "queued",
          (thrown) => (thrown as { code: string }).code,
        );
      };
      const [first, second] = [aMark(), aMark()];
      const before = await store.deliveries.count();
      expect(await queue(false, [first])).toBe("queued");
      expect(await queue(false, [second, first])).toBe("busy");
      expect(await store.sentAnswers.listKnown([first.key, second.key])).toEqual([first.key]);
      expect(await store.deliveries.count()).toBe(before + 1);
      expect(await queue(true, [second, first])).toBe("queued");
      expect(await store.deliveries.count()).toBe(before + 2);
      const racing = await Promise.all([1, 2, 3].map(() => queue(false, [aMark(), first])));
      expect(racing).toEqual(["busy", "busy", "busy"]);
      const mark = aMark();
      const together = await Promise.all([1, 2, 3].map(() => queue(false, [mark])));
      expect(together.sort()).toEqual(["busy", "busy", "queued"]);
    });
  });
});
