import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { asCaller } from "../../runtime/fair-queue/fair-queue.ts";
import { onEachContext } from "../context.testing.ts";

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

    test("statements are charged by their time: the next goes to who used the least, however few calls others made", async () => {
      const { db } = it.context;
      const done: string[] = [];
      const run = (account: string, block: string, rows: number) =>
        asCaller({ party: block, account, isKnown: true }, async () => {
          await sql`SELECT sum(n) FROM generate_series(1, ${sql.lit(rows)}) AS n`.execute(db);
          done.push(account);
        });
      // Mallory made one call, Ann made twenty.
      await run("mallory", "turns-1", 300_000);
      for (let calls = 0; calls < 20; calls++) await run("ann", "turns-2", 1);
      done.length = 0;
      const busy = Array.from({ length: 12 }, () => run("mallory", "turns-1", 100_000));
      await Promise.all([...busy, run("neighbour", "turns-1", 1), run("ann", "turns-2", 1)]);
      // Those that had a slot already are served first: one on the embedded database, six on PostgreSQL.
      const [ann, neighbour] = [done.indexOf("ann"), done.indexOf("neighbour")];
      expect(Math.max(ann, neighbour)).toBeLessThan(10);
      expect(done.slice(Math.max(ann, neighbour)).filter((name) => name === "mallory").length).toBeGreaterThan(3);
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
