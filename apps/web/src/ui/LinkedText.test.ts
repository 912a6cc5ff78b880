import { expect, test } from "vitest";
import { linkParts } from "./LinkedText.tsx";

const links = (text: string) => linkParts(text).flatMap(({ href }) => (href === null ? [] : [href]));

test.each([
  ["See https://kauke.test/a.", ["https://kauke.test/a"]],
  [
    "(https://kauke.test/a_(b)), and http://localhost:3000/confirm/x?",
    ["https://kauke.test/a_(b)", "http://localhost:3000/confirm/x"],
  ],
  ["<https://kauke.test/reset#abc>", ["https://kauke.test/reset#abc"]],
  ["javascript:alert(1) data:text/html,x ftp://x.test/ https:// http:///", []],
  ["\u201ehttps://kauke.test\u201d", ["https://kauke.test/"]],
  ["https://kauke.test/\u202Emoc.elgoog and https://kauke.test\u200Fx", ["https://kauke.test/", "https://kauke.test/"]],
  ["nothing", []],
])("%j leads to %j", (text, found) => expect(links(text)).toEqual(found));

test("the parts together are the text", () => {
  for (const text of [
    "",
    "a https://b.test/c, d\nhttps://e.test/)",
    "https://",
    "x".repeat(10),
    "https://a.test/".repeat(3),
  ])
    expect(
      linkParts(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
});

test("a text with many addresses, or one very long address, takes linear time", () => {
  const begin = performance.now();
  expect(links("https://a.test/ ".repeat(50_000)).length).toBeLessThanOrEqual(2001);
  links(`https://a.test/${")".repeat(500_000)}`);
  links(`https://a.test/${"(".repeat(250_000)}${")".repeat(250_000)}`);
  expect(performance.now() - begin).toBeLessThan(3000);
});
