/** Limits and shares of the cache of DNS responses, and of queries without one. */
import { expect, test } from "vitest";
import { DnsCache, ENTRY_BYTES, PendingQuestions } from "./dns-shares.ts";

const KIB = 1024;

function cacheOf(limits?: { bytes: number; zoneBytes: number }) {
  const clock = { now: 0 };
  const cache = new DnsCache(() => clock.now, limits);
  const asked: string[] = [];
  const ask = (name: string, bytes = 0) =>
    cache.ask(
      ["A", name],
      async () => {
        asked.push(name);
        return name;
      },
      () => ({ keepMs: 1000, bytes }),
    );
  return { cache, clock, asked, ask };
}

test("concurrent look-ups share one query, and an answer is cached for its lifetime", async () => {
  const { clock, asked, ask } = cacheOf();
  await Promise.all([ask("a.example"), ask("a.example")]);
  clock.now = 999;
  await ask("a.example");
  expect(asked).toHaveLength(1);
  clock.now = 1000;
  await ask("a.example");
  expect(asked).toHaveLength(2);
});

test("expired answers are removed, whether looked up again or not", async () => {
  const { cache, clock, ask } = cacheOf();
  for (let at = 0; at < 100; at += 1) await ask(`${at}.example`, 100);
  expect(cache.size).toBe(100);
  clock.now = 60_000;
  await ask("new.example", 100);
  expect(cache.size).toBe(1);
  expect(cache.bytes).toBeLessThan(ENTRY_BYTES + 200);
});

test("large answers of one zone evict answers of that zone", async () => {
  const { cache, asked, ask } = cacheOf({ bytes: 1000 * KIB, zoneBytes: 100 * KIB });
  for (let at = 0; at < 20; at += 1) await ask(`mx.${at}-bystander.example`, KIB);
  for (let at = 0; at < 400; at += 1) await ask(`a${at}.evil.example`, 16 * KIB);
  expect(cache.bytes).toBeLessThan(160 * KIB);
  asked.length = 0;
  for (let at = 0; at < 20; at += 1) await ask(`mx.${at}-bystander.example`, KIB);
  expect(asked).toEqual([]);
  await ask("a399.evil.example", 16 * KIB);
  await ask("a0.evil.example", 16 * KIB);
  expect(asked).toEqual(["a0.evil.example"]);
});

test("large answers of many zones evict from the largest zones, and the cache stays within its limit", async () => {
  const { cache, asked, ask } = cacheOf({ bytes: 1000 * KIB, zoneBytes: 100 * KIB });
  for (let at = 0; at < 20; at += 1) await ask(`mx.bystander${at}.example`, KIB);
  for (let at = 0; at < 4000; at += 1) {
    await ask(`a${at}.evil${at % 100}.example`, 16 * KIB);
    expect(cache.bytes).toBeLessThanOrEqual(1000 * KIB);
  }
  expect(cache.bytes).toBeGreaterThan(500 * KIB);
  asked.length = 0;
  for (let at = 0; at < 20; at += 1) await ask(`mx.bystander${at}.example`, KIB);
  expect(asked).toEqual([]);
});

test("many small answers of many zones stay within the limit by evicting the oldest", async () => {
  const { cache, asked, ask } = cacheOf({ bytes: 1000 * KIB, zoneBytes: 100 * KIB });
  for (let at = 0; at < 5000; at += 1) await ask(`evil${at}.example`);
  expect(cache.bytes).toBeLessThanOrEqual(1000 * KIB);
  asked.length = 0;
  await ask("evil4999.example");
  expect(asked).toEqual([]);
  await ask("evil0.example");
  expect(asked).toEqual(["evil0.example"]);
});

test("a slow zone can't exceed its share; at the total limit the oldest query of the largest zone fails", async () => {
  const pending = new PendingQuestions({ all: 4, zone: 3 });
  const outcomes: string[] = [];
  const answers = new Map<string, () => void>();
  const ask = (name: string) =>
    void pending
      .ask(name, () => new Promise<string>((resolve) => answers.set(name, () => resolve("answered"))), "failed")
      .then((answer) => outcomes.push(`${name} ${answer}`));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const name of ["a.slow.example", "b.slow.example", "c.slow.example", "d.slow.example", "quick.example"])
    ask(name);
  await settle();
  expect(outcomes).toEqual(["d.slow.example failed"]);
  ask("other.example");
  await settle();
  expect(outcomes.slice(1)).toEqual(["a.slow.example failed"]);
  for (const answer of answers.values()) answer();
  await settle();
  expect(outcomes.slice(2).toSorted()).toEqual(
    ["b.slow.example", "c.slow.example", "other.example", "quick.example"].map((it) => `${it} answered`),
  );
  ask("e.slow.example");
  answers.get("e.slow.example")?.();
  await settle();
  expect(outcomes.at(-1)).toBe("e.slow.example answered");
});
