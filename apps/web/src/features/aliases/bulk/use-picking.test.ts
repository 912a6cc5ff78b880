import fc from "fast-check";
import { expect, test } from "vitest";
import { noSelection, pickAll, pickExactly, pickedAmong, pickOne, pickRange } from "./use-picking.ts";

const order = [..."abcdefgh"];
const text = (ids: Iterable<string>) => [...ids].toSorted().join("");

test("a press on an alias selects it, another press deselects it", () => {
  const one = pickOne(noSelection, "c");
  expect(text(one.ids)).toBe("c");
  expect(text(pickOne(one, "c").ids)).toBe("");
});

test("a range goes from the last alias pressed to this one, up or down, and keeps earlier selections", () => {
  const before = pickOne(pickOne(noSelection, "h"), "c");
  expect(text(pickRange(before, "e", order).ids)).toBe("cdeh");
  expect(text(pickRange(before, "a", order).ids)).toBe("abch");
});

test("a range that becomes shorter deselects the aliases that it no longer covers", () => {
  const long = pickRange(pickOne(noSelection, "b"), "f", order);
  expect(text(long.ids)).toBe("bcdef");
  expect(text(pickRange(long, "c", order).ids)).toBe("bc");
});

test("a range without a first alias, or whose first alias is no longer listed, selects one alias", () => {
  expect(text(pickRange(noSelection, "d", order).ids)).toBe("d");
  expect(text(pickRange(pickOne(noSelection, "x"), "d", order).ids)).toBe("dx");
});

test("selecting a page selects all its aliases, or deselects them if all were selected", () => {
  const all = pickAll(pickOne(noSelection, "h"), ["a", "b"]);
  expect(text(all.ids)).toBe("abh");
  expect(text(pickAll(all, ["a", "b"]).ids)).toBe("h");
  expect(text(pickExactly(order).ids)).toBe("abcdefgh");
});

test("only listed aliases count as selected, each once and in the list's order", () => {
  const press = fc.tuple(fc.constantFrom("one", "range"), fc.constantFrom(...order));
  fc.assert(
    fc.property(fc.array(press), fc.subarray(order), (presses, listed) => {
      let selection = noSelection;
      for (const [kind, id] of presses)
        selection = kind === "one" ? pickOne(selection, id) : pickRange(selection, id, order);
      const picked = pickedAmong(selection, listed);
      expect(picked).toEqual(listed.filter((id) => selection.ids.has(id)));
    }),
  );
});
