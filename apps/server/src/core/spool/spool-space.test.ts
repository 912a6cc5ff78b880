import { beforeEach, expect, test } from "vitest";
import { SPOOL_ROW_BYTES } from "../delivery/delivery.ts";
import { type SpoolPlace, SpoolSpace } from "./spool-space.ts";

const MIB = 1_048_576;
const MAX = 64 * MIB;

/** Bytes held in the store, by account or alias id. */
let held: Map<string, number>;
let counts: number;
let now: number;
let diskShare: number;
let taken: number;
let space: SpoolSpace;

beforeEach(() => {
  held = new Map();
  [counts, now, diskShare, taken] = [0, 0, 1, 0];
  space = openSpace();
});

const openSpace = () =>
  new SpoolSpace({
    deliveries: {
      spoolBytes: async (_, id) => {
        counts++;
        return held.get(id) ?? 0;
      },
    },
    accountMaxBytes: MAX,
    disk: {
      share: () => diskShare,
      take: (bytes) => {
        taken += bytes;
      },
    },
    now: () => now,
  });

const at = (userId: string, aliasId = `${userId}-alias`) => ({ userId, aliasId });
const reserve = (bytes: number, party = at("ann"), from = space) => from.reserve(bytes, [party]);

/** Reserves space and stores the message, as when it is enqueued. */
async function keep(bytes: number, party = at("ann"), from = space): Promise<void> {
  const place = await reserve(bytes, party, from);
  for (const id of [party.userId, party.aliasId]) held.set(id, (held.get(id) ?? 0) + bytes + SPOOL_ROW_BYTES);
  place.stored();
}

const refused = { code: "spool_quota" };

/** Stores messages until one is refused. @returns how many fitted */
async function fill(bytes: number, party?: { userId: string; aliasId: string }): Promise<number> {
  for (let kept = 0; ; kept++) {
    const isKept = await keep(bytes, party).then(
      () => true,
      () => false,
    );
    if (!isKept) return kept;
  }
}

test("little mail causes no count", async () => {
  for (let sent = 0; sent < 50; sent++) (await reserve(10_000)).release();
  for (let sent = 0; sent < 50; sent++) await keep(10_000);
  expect(counts).toBe(0);
});

test("an account is refused exactly at its maximum, over all its aliases, and other accounts are not", async () => {
  const fitting = Math.floor(MAX / (MIB + SPOOL_ROW_BYTES));
  let kept = 0;
  for (const aliasId of ["a", "b", "c", "d"]) kept += await fill(MIB, at("ann", aliasId));
  expect(kept).toBe(fitting);
  await expect(keep(MIB, at("ann", "e"))).rejects.toMatchObject(refused);
  await keep(MIB, at("bob"));
  expect(counts).toBeLessThan(40);
});

test("one alias may hold half of its account's maximum", async () => {
  expect(await fill(MIB, at("ann", "flooded"))).toBe(Math.floor(MAX / 2 / (MIB + SPOOL_ROW_BYTES)));
  await keep(MIB, at("ann", "other"));
});

test("messages that are written concurrently share the space", async () => {
  const places = await Promise.allSettled(Array.from({ length: 200 }, () => reserve(MIB)));
  expect(places.filter(({ status }) => status === "fulfilled")).toHaveLength(31);
  for (const place of places) if (place.status === "fulfilled") place.value.release();
  expect(await fill(MIB)).toBe(31);
});

test("delivered mail frees space at the next count, a second later", async () => {
  await fill(MIB);
  for (const id of held.keys()) held.set(id, 0);
  await expect(keep(MIB)).rejects.toMatchObject(refused);
  expect(await space.isFull(at("ann"))).toBe(false);
  now += 1000;
  expect(await fill(MIB)).toBe(31);
});

test("a full alias is known before DATA, from the present figures or from one count a second", async () => {
  for (const aliasId of ["a", "b", "c"]) await fill(MIB, at("ann", aliasId));
  await fill(1000, at("ann", "c"));
  await fill(1, at("ann", "c"));
  held.set("ann", MAX);
  now += 1000;
  await expect(keep(MIB, at("ann", "c"))).rejects.toMatchObject(refused);
  const before = counts;
  expect(await space.isFull(at("ann", "d"))).toBe(true);
  expect(counts).toBe(before);
  now += 1000;
  expect(await space.isFull(at("ann", "d"))).toBe(true);
  held.set("ann", 0);
  now += 1000;
  expect(await space.isFull(at("ann", "d"))).toBe(false);
  expect(await space.isFull(at("nobody seen"))).toBe(false);
});

test("several processes together exceed the maximum only slightly", async () => {
  const processes = [openSpace(), openSpace(), openSpace()];
  for (let sent = 0; sent < 300; sent++) {
    now += 100;
    await keep(MIB, at("ann", `alias${sent % 4}`), processes[sent % 3]).catch(() => {});
  }
  expect(held.get("ann")).toBeGreaterThan(0.9 * MAX);
  expect(held.get("ann")).toBeLessThan(1.2 * MAX);
});

test("the fuller the disk, the less an account may hold, so those that hold most are refused first", async () => {
  for (let sent = 0; sent < 20; sent++) await keep(MIB, at("heavy"));
  await keep(MIB, at("light"));
  expect(taken).toBe(21 * MIB);
  diskShare = 0.25;
  await expect(keep(MIB, at("heavy"))).rejects.toMatchObject(refused);
  expect(await space.isFull(at("heavy"))).toBe(true);
  await keep(MIB, at("light"));
  await keep(MIB, at("new"));
  diskShare = 0;
  await expect(keep(1000, at("new"))).rejects.toMatchObject(refused);
  diskShare = 1;
  await keep(MIB, at("heavy"));
});

test("a message to aliases of several accounts counts for each; mail to the operator counts for none", async () => {
  await space.reserve(MIB, [at("ann"), at("ann"), at("bob"), { userId: null, aliasId: null }]);
  held.set("bob", MAX);
  now += 1000;
  await fill(MIB, at("bob"));
  const places: SpoolPlace[] = [];
  await expect(space.reserve(8 * MIB, [at("ann"), at("bob")]).then((it) => places.push(it))).rejects.toMatchObject(
    refused,
  );
  expect(places).toEqual([]);
  await space.reserve(1000 * MIB, [{ userId: null, aliasId: null }]);
});
