import type { AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { undoOf } from "./use-bulk.ts";

const alias = (id: string, more: Partial<AliasWire> = {}) =>
  ({ id, active: true, forwardTo: "a@example.org", pinned: false, labels: [], ...more }) as unknown as AliasWire;

test("only the aliases that a change has changed are changed back", () => {
  const aliases = [
    alias("a"),
    alias("b", { active: false, forwardTo: "null", pinned: true, labels: ["shops"] }),
    alias("c", { labels: ["shops"] }),
  ];
  expect(undoOf(aliases, { active: false })).toEqual({ aliasIds: ["a", "c"], change: { active: true } });
  expect(undoOf(aliases, { active: true })).toEqual({ aliasIds: ["b"], change: { active: false } });
  expect(undoOf(aliases, { pinned: true })).toEqual({ aliasIds: ["a", "c"], change: { pinned: false } });
  expect(undoOf(aliases, { addLabel: "shops" })).toEqual({ aliasIds: ["a"], change: { removeLabel: "shops" } });
  expect(undoOf(aliases, { removeLabel: "shops" })).toEqual({ aliasIds: ["b", "c"], change: { addLabel: "shops" } });
});

test("a change that changes nothing, or the destinations, has no undo", () => {
  expect(undoOf([alias("a")], { active: true })).toBeNull();
  expect(undoOf([alias("a")], { forwardTo: "b@example.org" })).toBeNull();
});
