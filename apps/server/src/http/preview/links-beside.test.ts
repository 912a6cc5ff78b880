import { expect, test } from "vitest";
import { linksBeside } from "./links-beside.ts";

const base = '<base target="_blank">';
const beside = ' target="_blank" rel="noopener noreferrer"';

test.each([
  ['<p><a href="/x">x</a></p>', `<p><a href="/x"${beside}>x</a></p>`],
  ['<A HREF=x TARGET=_top rel="opener" ping="/p">x</A>', `<A HREF=x${beside}>x</A>`],
  ["<a/href='a>b'/target='_self'>x", `<a href='a>b'${beside}>x`],
  ['<base href="https://elsewhere.example/"><area href=y>', `<area href=y${beside}>`],
  ["<abbr>a < b</abbr><article>", "<abbr>a < b</abbr><article>"],
  ["<a", "<a"],
  ['before<a href="never closed', "before"],
  ["before<a href=x", "before"],
])("%j", (html, changed) => expect(linksBeside(html)).toBe(base + changed));

test("costs linear time, whatever is not closed", () => {
  const begin = performance.now();
  for (const piece of ["<a ", '<a "', "<a href='", "<a b=c ", '<a x="y">', "<a\n/"]) linksBeside(piece.repeat(20_000));
  expect(performance.now() - begin).toBeLessThan(5000);
});
