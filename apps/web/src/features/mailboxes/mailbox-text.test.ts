import { expect, test } from "vitest";
import { aliasCountText, namedText } from "./mailbox-text.ts";

test("the number of aliases is a phrase with the right singular or plural", () => {
  expect([0, 1, 2, 1204].map(aliasCountText)).toEqual(["No alias", "1 alias", "2 aliases", "1,204 aliases"]);
});

test("the first five aliases are named, the others counted", () => {
  const all = Array.from({ length: 1205 }, (_, at) => `a${at}`);
  expect(namedText(all.slice(0, 1))).toBe("a0");
  expect(namedText(all.slice(0, 2))).toBe("a0 and a1");
  expect(namedText(all.slice(0, 5))).toBe("a0, a1, a2, a3 and a4");
  expect(namedText(all)).toBe("a0, a1, a2, a3, a4 and 1,200 more");
  expect(namedText([])).toBe("");
});
