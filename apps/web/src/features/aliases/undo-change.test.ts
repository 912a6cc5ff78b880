import type { AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { readUndoRows } from "../../ui/undo-store.ts";
import { formerFields, offerChangeUndo, undosOf } from "./undo-change.ts";

const alias = (id: string, more: Partial<AliasWire> = {}) =>
  ({
    id,
    alias: id,
    active: true,
    forwardTo: "a@example.org",
    notes: null,
    pinned: false,
    labels: [],
    ...more,
  }) as unknown as AliasWire;
const paused = { active: false, forwardTo: "null", lastForwardTo: "c@example.org" };

test("only the aliases that a change has changed are changed back", () => {
  const aliases = [
    alias("a"),
    alias("b", { ...paused, pinned: true, labels: ["shops"] }),
    alias("c", { labels: ["shops"] }),
  ];
  expect(undosOf(aliases, { active: false })).toEqual([{ aliasIds: ["a", "c"], change: { active: true } }]);
  expect(undosOf(aliases, { active: true })).toEqual([{ aliasIds: ["b"], change: { active: false } }]);
  expect(undosOf(aliases, { pinned: true })).toEqual([{ aliasIds: ["a", "c"], change: { pinned: false } }]);
  expect(undosOf(aliases, { addLabel: "shops" })).toEqual([{ aliasIds: ["a"], change: { removeLabel: "shops" } }]);
  expect(undosOf(aliases, { removeLabel: "shops" })).toEqual([{ aliasIds: ["b", "c"], change: { addLabel: "shops" } }]);
  expect(undosOf([alias("a")], { active: true })).toEqual([]);
});

test("changed destinations are restored by a request for each former text, those of paused aliases too", () => {
  const aliases = [alias("a"), alias("b", paused), alias("c"), alias("d", { forwardTo: "new@example.org" })];
  expect(undosOf(aliases, { forwardTo: "new@example.org" })).toEqual([
    { aliasIds: ["a", "c"], change: { forwardTo: "a@example.org" } },
    { aliasIds: ["b"], change: { forwardTo: "c@example.org" } },
  ]);
});

test("the undo of an edit names what was edited only, and what the alias is by then", () => {
  const before = alias("shop", { notes: "old" });
  const saved = { ...before, alias: "shopping", notes: null };
  expect(formerFields({ before, saved, body: { alias: "shopping", notes: "" } })).toEqual({
    alias: "shop",
    notes: "old",
    before: { alias: "shopping", forwardTo: "a@example.org", notes: null },
  });
  expect(formerFields({ before, saved, body: { labels: ["x"] } })).toEqual({ labels: [] });
  expect(formerFields({ before, saved, body: { displayName: "Own" } })).toEqual({ displayName: "" });
  expect(formerFields({ before, saved, body: { pinned: true } })).toEqual({ pinned: false });
  expect(formerFields({ before: alias("p", paused), saved, body: { forwardTo: "d@example.org" } })).toMatchObject({
    forwardTo: "c@example.org",
  });
});

test("an undo whose act ended after its user's session is offered to nobody", () => {
  offerChangeUndo({ userId: "jonas", title: "Alias Paused", description: "shop@kauke.test" }, async () => {});
  expect(readUndoRows()).toEqual([]);
});
