import { expect, test } from "vitest";
import { withHidden } from "./hidden-character.ts";

const error = "Invalid alias format";

test("an error names the hidden character and its place", () => {
  expect(withHidden(error, "shop\u200B")).toBe(
    `${error}. There is an invisible character after “shop”: zero-width space (U+200B).`,
  );
  expect(withHidden("Write an address.", "\uFEFFann@example.org")).toBe(
    "Write an address. There is an invisible character at the beginning: byte order mark (U+FEFF).",
  );
});

test.each(["\u00A0", "\u00AD", "\u200E", "\u202E", "\u2028", "\u2060", "\u2066", "\u3164", "\u{E0041}", "\u0007"])(
  "the character %j is named by its code at least",
  (hidden) => {
    const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    expect(withHidden(error, `ann${hidden}@example.org`)).toContain(`U+${code}`);
  },
);

test("a text without hidden characters, or without an error, adds nothing", () => {
  expect(withHidden(error, "two words, ąžuolas 日本 😀")).toBe(error);
  expect(withHidden(undefined, "shop\u200B")).toBeUndefined();
});
