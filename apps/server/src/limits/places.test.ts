import { expect, test } from "vitest";
import { isHeldUp, Places, QUICK_MS, turnOf } from "./slots.ts";
import { bounds } from "./table.ts";

function placesOf(...owners: [account: string, network: string, isLate?: boolean][]): Places {
  const places = new Places();
  for (const [account, network, isLate = false] of owners) places.add({ account, network, isLate, since: 0 });
  return places;
}

const isHeld = (places: Places, account: string, network: string) => {
  const counts = places.counts().of({ account, network });
  return isHeldUp(counts.account, counts.network);
};
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

test("an account of which a place is late gets a few at a time, others get theirs", () => {
  const full = times(bounds.lateConnections.account - 1, () => ["ann", "a"] as [string, string]);
  expect(isHeld(placesOf(...full, ["ann", "a", true]), "ann", "a")).toBe(true);
  expect(isHeld(placesOf(...full, ["ann", "a", true]), "bob", "a")).toBe(false);
  expect(isHeld(placesOf(...full.slice(1), ["ann", "a", true]), "ann", "a")).toBe(false);
  // Control: places that are not late do not hold an account up.
  expect(isHeld(placesOf(...full, ...full), "ann", "a")).toBe(false);
});

test("a network of which a place is late gets a few at a time and one for each account without any", () => {
  const crowd = times(
    bounds.lateConnections.block,
    (index) => [`crowd${index}`, "a", index === 0] as [string, string, boolean],
  );
  expect(isHeld(placesOf(...crowd), "crowd1", "a")).toBe(true);
  expect(isHeld(placesOf(...crowd), "another", "a")).toBe(false);
  expect(isHeld(placesOf(...crowd, ["bob", "b"]), "bob", "b")).toBe(false);
  expect(isHeld(placesOf(...crowd.slice(1)), "crowd1", "a")).toBe(false);
});

test("next is the account whose network has the fewest places, then the one with the fewest", () => {
  const places = placesOf(["ann", "a"], ["ben", "a"], ["bob", "b"], ["cid", "c", true]);
  const turn = (account: string, network: string) => turnOf(places.counts().of({ account, network }));
  const order = [turn("cid", "c"), turn("bea", "b"), turn("bob", "b"), turn("abe", "a"), turn("ann", "a")];
  expect(order.toSorted((a, b) => a - b)).toEqual(order);
  expect(new Set(order).size).toBe(order.length);
});

test("places are quick for a second, and late ones belong to nobody", () => {
  const places = placesOf(["ann", "a"], ["bob", "b"], ["cid", "c", true]);
  expect([places.quick(QUICK_MS - 1), places.quick(QUICK_MS)]).toEqual([2, 0]);
  expect(["ann", "bob", "cid"].map((account) => places.isSharedBy(account))).toEqual([true, true, false]);
});
