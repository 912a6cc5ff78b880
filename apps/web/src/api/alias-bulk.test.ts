import type { AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { keptIdsMax, predicted } from "./alias-bulk.ts";

const alias: AliasWire = {
  id: "00000000-0000-4000-8000-000000000001",
  userId: "00000000-0000-4000-8000-000000000002",
  alias: "shop.k7",
  domain: "kauke.test",
  forwardTo: "jonas@example.org",
  active: true,
  notes: null,
  lastForwardTo: null,
  providerId: null,
  sealTo: "account",
  labels: ["one"],
  pinned: false,
  writeByAddress: false,
  createdAt: "2026-01-01T00:00:00.000Z",
};

test("the predicted state of a changed alias equals the server's response", () => {
  const paused = predicted(alias, { active: false });
  expect(paused).toEqual({ ...alias, active: false, forwardTo: "null", lastForwardTo: "jonas@example.org" });
  expect(predicted(paused, { active: false })).toBe(paused);
  expect(predicted(alias, { pinned: true })).toEqual({ ...alias, pinned: true });
  expect(predicted(alias, { addLabel: "one" }).labels).toEqual(["one"]);
  expect(predicted(alias, { addLabel: "two", removeLabel: "one" }).labels).toEqual(["two"]);
  expect(predicted(alias, { forwardTo: "x@example.org" })).toEqual(alias);
});

test("the largest request sent while the page closes fits into the 64 KiB that browsers allow", () => {
  const aliasIds = Array.from({ length: keptIdsMax }, () => alias.id);
  expect(JSON.stringify({ aliasIds, change: { delete: true } }).length).toBeLessThan(65_536);
});
