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

test.each([
  ["\u00AD", "soft hyphen (U+00AD)"],
  ["\u200E", "left-to-right mark (U+200E)"],
  ["\u202E", "right-to-left override (U+202E)"],
  ["\u2066", "left-to-right isolate (U+2066)"],
  ["\u2060", "word joiner (U+2060)"],
  ["\u3164", "Hangul filler (U+3164)"],
  ["\uFE0F", "variation selector (U+FE0F)"],
  ["\u034F", "combining grapheme joiner (U+034F)"],
  ["\u00A0", "no-break space (U+00A0)"],
])("the character %j is named %s", (hidden, name) => {
  expect(withHidden(error, `ann${hidden}@example.org`)).toContain(`after “ann”: ${name}.`);
});

test.each(["\u2028", "\u{E0041}", "\u{E0101}", "\u17B4", "\u180B", "\uFFA0", "\u0007", "\u206A"])(
  "the character %j is named by its code at least",
  (hidden) => {
    const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    expect(withHidden(error, `ann${hidden}@example.org`)).toContain(`U+${code}`);
  },
);

test("of a long text the end before the character is quoted, and of a secret nothing", () => {
  const text = "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQ\u00ADQQ";
  expect(withHidden(error, text)).toContain("after “…EY-1QQQQQQQQQQQQQQQQ”: soft hyphen");
  expect(withHidden(error, text, true)).toBe(`${error}. There is an invisible character in it: soft hyphen (U+00AD).`);
});

test("a text without hidden characters adds nothing, and neither do the parts of an emoji", () => {
  expect(withHidden(error, "two words, ąžuolas 日本 😀 👩‍🚀 ❤️ 👍🏽")).toBe(error);
  expect(withHidden(error, "😀 shop\u200D")).toContain("after “😀 shop”: zero-width joiner (U+200D)");
});
