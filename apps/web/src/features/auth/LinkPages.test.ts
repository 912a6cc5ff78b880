import { expect, test } from "vitest";
import { linkTokenOf } from "./LinkPages.tsx";

test("the token is everything after the #, in upper or lower case", () => {
  const token = "abcdefgh234567abcdefgh234567abcd";
  expect(linkTokenOf(`#${token}`)).toBe(token);
  expect(linkTokenOf(`#${token.toUpperCase()}`)).toBe(token);
  for (const hash of ["", "#", `#${token}x`, `#${token.slice(1)}`, `#${token.slice(1)}0`, token])
    expect(linkTokenOf(hash)).toBeNull();
});
