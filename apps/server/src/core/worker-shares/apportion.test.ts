import fc from "fast-check";
import { expect, test } from "vitest";
import { apportion } from "./apportion.ts";

test("workers have exactly the limit together, and each about the same part of what it had", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 16 }),
      fc.integer({ min: 1, max: 300 }),
      (counts, limit) => {
        const workers = counts.map((count, worker) => ({ worker, count }));
        const sum = counts.reduce((total, count) => total + count, 0);
        const parts = workers.map((own) =>
          apportion(
            limit,
            own,
            workers.filter((it) => it !== own),
          ),
        );
        expect(parts.reduce((total, part) => total + part, 0)).toBe(Math.min(limit, sum));
        parts.forEach((part, index) => {
          const count = counts[index] ?? 0;
          expect(part).toBeLessThanOrEqual(count);
          expect(Math.abs(part - count * Math.min(1, limit / Math.max(sum, 1)))).toBeLessThan(1);
        });
      },
    ),
  );
});
