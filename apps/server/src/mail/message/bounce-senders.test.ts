import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { BounceSender } from "../../core/bounce-sender.ts";
import { bounds, rowsPerDay } from "../../limits/table.ts";
import { BounceSenders } from "./bounce-senders.ts";

const DAY_MS = 86_400_000;
const rules = { alias: { max: 5, windowSeconds: 86_400 }, account: { max: 8, windowSeconds: 86_400 } };

function scene(limits: typeof rules | null = rules) {
  let nowMs = Date.parse("2026-11-27T10:00:00Z");
  const clock = { now: () => new Date(nowMs), steadyMs: () => nowMs };
  const stored: { sender: string; expiresOn: string; account: string }[] = [];
  const store = {
    fails: false,
    ensure: async (senders: readonly BounceSender[], at: { expiresOn: string; account: string }) => {
      if (store.fails) throw new Error("the database is away");
      for (const { sender } of senders) stored.push({ sender, ...at });
    },
  };
  const book = new BounceSenders(store, clock, limits);
  const keep = (...senders: ReturnType<typeof aSender>[]) => book.keep(senders, clock.now());
  return { keep, stored, store, advance: (ms: number) => (nowMs += ms) };
}

const aSender = (aliasId: string, userId: string, sender: string) => ({
  aliasId,
  userId,
  sender,
  token: randomBytes(9),
});

test("a sender is stored for 22 days, and again on the next day only", async () => {
  const { keep, stored, advance } = scene();
  const ann = aSender("a", "u", "ann");
  for (let times = 0; times < 3; times++) await keep(ann);
  expect(stored).toEqual([{ sender: "ann", expiresOn: "2026-12-19", account: "u" }]);
  advance(DAY_MS);
  for (let times = 0; times < 3; times++) await keep(ann);
  expect(stored.map(({ expiresOn }) => expiresOn)).toEqual(["2026-12-19", "2026-12-20"]);
});

test("what could not be stored is stored with the next message", async () => {
  const { keep, stored, store } = scene();
  const ann = aSender("a", "u", "ann");
  store.fails = true;
  await expect(keep(ann)).rejects.toThrow("the database is away");
  store.fails = false;
  await keep(ann);
  expect(stored).toHaveLength(1);
});

test("an alias and an account have limits of new senders, and others are not affected", async () => {
  const { keep, stored, advance } = scene();
  const countOf = (account: string) => stored.filter((row) => row.account === account).length;
  for (let n = 0; n < 20; n++) await keep(aSender("a", "u", `x${n}`));
  expect(countOf("u")).toBe(5);
  for (let n = 0; n < 20; n++) await keep(aSender("b", "u", `y${n}`));
  expect(countOf("u")).toBe(8);
  await keep(aSender("c", "other", "z"), aSender("d", "u", "too many"));
  expect([countOf("u"), countOf("other")]).toEqual([8, 1]);
  advance(DAY_MS);
  await keep(aSender("a", "u", "next day"));
  expect(countOf("u")).toBe(9);
});

test("without limits everybody is stored; several processes divide the limits", async () => {
  const { keep, stored } = scene(null);
  for (let n = 0; n < 20; n++) await keep(aSender("a", "u", `x${n}`));
  expect(stored).toHaveLength(20);
  expect(rowsPerDay(bounds.newBounceSenders, 4)).toMatchObject({ alias: { max: 125 }, account: { max: 250 } });
});
