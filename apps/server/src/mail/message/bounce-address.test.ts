import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { BounceSender } from "../../core/bounce-sender.ts";
import { bounds, rowsPerDay } from "../../limits/table.ts";
import {
  BounceSenders,
  bounceAddress,
  bounceToken,
  idsOfHint,
  readBounceAddress,
  srsSubject,
} from "./bounce-address.ts";

const hash = (data: string) => createHmac("sha256", "a key").update(data).digest();
const otherHash = (data: string) => createHmac("sha256", "another key").update(data).digest();
const now = new Date("2026-11-22T12:00:00Z");
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const aliasId = "9f3c1a77-5d1e-4c0b-8a55-0123456789ab";

const partsOf = (address: string) => ({ local: address.split("@")[0] ?? "", domain: address.split("@")[1] ?? "" });

test("a bounce address identifies its alias for three weeks, in upper or lower case, and fits a local part", () => {
  const address = bounceAddress({ aliasId, domain: "kauke.test", now }, hash);
  expect(partsOf(address).local).toMatch(/^srs0-[a-z2-7]{26}-[a-z2-7]{2}-[a-z2-7]{13}$/);
  expect(partsOf(address).local.length).toBeLessThanOrEqual(64);
  for (const read of [address, address.toUpperCase()])
    for (const day of [0, 21])
      expect(readBounceAddress(partsOf(read), hash, later(day))).toEqual({ aliasId, token: null });
  expect(readBounceAddress(partsOf(address), hash, later(22))).toBeNull();
});

test("a bounce address can't be forged, or moved to another domain or alias", () => {
  const address = bounceAddress({ aliasId, domain: "kauke.test", now }, hash);
  const other = bounceAddress({ aliasId: randomUUID(), domain: "kauke.test", now }, hash);
  const { local } = partsOf(address);
  expect(readBounceAddress({ local, domain: "vejas.test" }, hash, now)).toBeNull();
  expect(readBounceAddress({ local, domain: "kauke.test" }, otherHash, now)).toBeNull();
  const swapped = `${partsOf(other).local.slice(0, 31)}${local.slice(31)}`;
  expect(readBounceAddress({ local: swapped, domain: "kauke.test" }, hash, now)).toBeNull();
  const restamped = local.replace(/-[a-z2-7]{2}-/, "-aa-");
  expect(readBounceAddress({ local: restamped, domain: "kauke.test" }, hash, new Date(0))).toBeNull();
});

test("a bounce address can stand for a sender by a token, which can't be removed, added or replaced", () => {
  const token = bounceToken(aliasId, `${"x".repeat(200)}@sender.example`, hash);
  const address = bounceAddress({ aliasId, domain: "kauke.test", now, token }, hash);
  const { local, domain } = partsOf(address);
  expect(local.length).toBe(64);
  const read = (text: string, at = now) => readBounceAddress({ local: text, domain }, hash, at);
  for (const text of [local, local.toUpperCase()]) expect(read(text, later(21))).toEqual({ aliasId, token });
  expect(read(local, later(22))).toBeNull();
  const others = [
    bounceToken(aliasId, "ann@sender.example", hash),
    bounceToken(randomUUID(), "ann@sender.example", hash),
  ];
  for (const other of others) {
    expect(other).not.toEqual(token);
    const theirs = partsOf(bounceAddress({ aliasId, domain: "kauke.test", now, token: other }, hash)).local;
    expect(read(`${local.slice(0, -15)}${theirs.slice(-15)}`)).toBeNull();
  }
  expect(read(local.slice(0, -16))).toBeNull();
  expect(read(`${partsOf(bounceAddress({ aliasId, domain, now }, hash)).local}${local.slice(-16)}`)).toBeNull();
});

test("the older form without a day stamp is still accepted", () => {
  const id = aliasId.replaceAll("-", "");
  const proof = hash(`bounce\0${id}`).toString("hex").slice(0, 16);
  const read = (text: string) => readBounceAddress({ local: `srs0-${id}-${text}`, domain: "kauke.test" }, hash, now);
  expect(read(proof)).toEqual({ aliasId, token: null });
  expect(read("0".repeat(16))).toBeNull();
});

test("the hint of an id yields a range that contains it, and hardly any other", () => {
  for (const id of [
    aliasId,
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    randomUUID(),
  ]) {
    const [first, last] = idsOfHint(srsSubject(id).hint);
    expect(first <= id && id <= last).toBe(true);
    expect(Number.parseInt(last.slice(0, 8), 16) - Number.parseInt(first.slice(0, 8), 16)).toBe(3);
    expect(first).toMatch(/^[0-9a-f]{8}-0000-0000-0000-0{12}$/);
    expect(last).toMatch(/^[0-9a-f]{8}-ffff-ffff-ffff-f{12}$/);
  }
});

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
