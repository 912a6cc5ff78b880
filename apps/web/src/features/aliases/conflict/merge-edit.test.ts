import { expect, test } from "vitest";
import { mergeEdit } from "./merge-edit.ts";

const read = { forwardTo: "a@example.org", notes: "" };

test("changes of different fields go together without a question", () => {
  const mine = { ...read, notes: "mine" };
  const theirs = { ...read, forwardTo: "b@example.org" };
  expect(mergeEdit({ read, mine, theirs })).toEqual({
    merged: { forwardTo: "b@example.org", notes: "mine" },
    conflicts: [],
  });
});

test("a field that both changed is a conflict, and nothing typed is lost", () => {
  const mine = { ...read, notes: "mine" };
  const theirs = { ...read, notes: "theirs" };
  expect(mergeEdit({ read, mine, theirs })).toEqual({
    merged: mine,
    conflicts: [{ field: "notes", theirs: "theirs", mine: "mine" }],
  });
});

test("the same change on both sides is none", () => {
  const both = { ...read, notes: "same" };
  expect(mergeEdit({ read, mine: both, theirs: both })).toEqual({ merged: both, conflicts: [] });
});
