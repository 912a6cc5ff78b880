/** The words that `check-words.ts` refuses are found as whole words, and only the list of them may contain them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesExportedTwice, refusedWords, wordsToReplace } from "../check-words.ts";
import { repositoryRoot } from "../source-files.ts";
import { replacedWords } from "./replaced-words.ts";

describe("a replaced word", () => {
  test.each(replacedWords)("$word is found, with the word to use instead", ({ word, instead }) => {
    const why = `"${word}" was replaced: ${instead}`;
    expect(wordsToReplace(`first line\n// a ${word}, in a comment`)).toEqual([{ line: 2, why }]);
    expect(wordsToReplace(`const x = new ${word}();`)).toEqual([{ line: 1, why }]);
  });

  const [name = "", phrase = ""] = [/^\w+$/, / /].map(
    (form) => replacedWords.find(({ word }) => form.test(word))?.word,
  );

  test("is found as a whole word only", () => {
    const parts = [`My${name}`, `${name}Like`, `${name}-like`, `not-${name}`, `${name}_`];
    expect(parts.flatMap(wordsToReplace)).toEqual([]);
  });

  test("is found in its own case if it is a name, in any case if it is a phrase", () => {
    expect(wordsToReplace(name.toLowerCase())).toEqual([]);
    expect(wordsToReplace(phrase.toUpperCase())).toHaveLength(1);
  });

  test("is listed once, and is not what another entry says to use", () => {
    const words = replacedWords.map(({ word }) => word);
    expect(new Set(words).size).toBe(words.length);
    expect(replacedWords.flatMap(({ instead }) => wordsToReplace(instead))).toEqual([]);
  });
});

test("a name that two files export is found, one that a file only uses or exports again is not", () => {
  const texts = [
    ["a.ts", "export function send(): void {}\nexport type Way = string;\n"],
    ["b.ts", 'import { send } from "./a.ts";\nexport { send };\nexport const way = 1;\n'],
    ["c.ts", "export interface Way {}\n"],
  ] as const;
  expect(namesExportedTwice(new Map(texts))).toEqual(['c.ts: exports "Way", as a.ts does']);
});

test("the source of the check itself contains nothing that it refuses", () => {
  const source = readFileSync(join(repositoryRoot(), "scripts/check-words.ts"), "utf8");
  expect([...refusedWords(source), ...wordsToReplace(source)]).toEqual([]);
});
