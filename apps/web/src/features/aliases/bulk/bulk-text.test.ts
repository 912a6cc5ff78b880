import { expect, test } from "vitest";
import { aliasesText } from "../alias-text.ts";
import { bulkFailureText, deletionFailureText, isCount } from "./bulk-text.ts";

test("the number of aliases is a phrase with the right singular or plural", () => {
  expect([aliasesText(1), aliasesText(84), aliasesText(5000)]).toEqual(["1 alias", "84 aliases", "5,000 aliases"]);
});

test("each kind of failure has its own text; without failures there is none", () => {
  const [full, gone] = [
    { id: "a", code: "invalid" as const },
    { id: "b", code: "not_found" as const },
  ];
  expect(bulkFailureText([], 3)).toBeNull();
  expect(bulkFailureText([full], 3)).toBe("1 of 3 aliases has 10 labels already.");
  expect(bulkFailureText([full, full, gone], 84)).toBe(
    "2 of 84 aliases have 10 labels already. 1 of 84 aliases does not exist any more.",
  );
});

test("a failed deletion says why only if the account has too many reserved addresses", () => {
  const gone = { id: "b", code: "not_found" as const };
  expect(deletionFailureText([gone])).toBe("1 alias could not be deleted.");
  const limited = { id: "a", code: "rate_limited" as const };
  expect(deletionFailureText([limited, gone])).toMatch(/^2 aliases could not be deleted\. An account can .* pause /);
});

test("a number is recognised with and without separators, and no other number is", () => {
  expect(["4998", "4,998", " 4 998 ", "4.998"].map((typed) => isCount(typed, 4998))).toEqual([true, true, true, true]);
  expect(["", "4999", "498", "49980", "all"].map((typed) => isCount(typed, 4998))).toEqual(Array(5).fill(false));
});
