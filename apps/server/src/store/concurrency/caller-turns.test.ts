import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { onEachContext } from "../context.testing.ts";
import { asCaller } from "./caller-turns.ts";

onEachContext((it) => {
  describe("turns of callers at the database", () => {
    test("a thousand statements of one caller delay neither another caller's statement nor one without a caller", async () => {
      const { db } = it.context;
      const order: string[] = [];
      const ask = async (name: string) => {
        await sql`SELECT 1`.execute(db);
        order.push(name);
      };
      const flood = asCaller({ party: "a", isKnown: false }, () => Array.from({ length: 1000 }, () => ask("flood")));
      await ask("mail");
      await asCaller({ party: "b", isKnown: false }, () => ask("other"));
      expect(order.filter((name) => name === "flood").length).toBeLessThan(100);
      await Promise.all(flood);
      expect(order).toHaveLength(1002);
    });

    test("a failed statement and a rolled back transaction release their slots", async () => {
      const { db } = it.context;
      await asCaller({ party: "a", isKnown: false }, async () => {
        for (let times = 0; times < 20; times++) {
          await expect(sql`SELECT 1 / 0`.execute(db)).rejects.toThrow();
          const broken = db.transaction().execute(() => Promise.reject(new Error("broken")));
          await expect(broken).rejects.toThrow("broken");
        }
        await sql`SELECT 1`.execute(db);
      });
    });
  });
});
