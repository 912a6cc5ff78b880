import { describe, expect, test } from "vitest";
import { cleanMailHtml } from "./clean-mail-html.ts";
import { ELEMENTS_MAX } from "./element-writer.ts";

const clean = (html: string, images = new Map<string, string>()) => cleanMailHtml(html, images);
const htmlOf = (html: string) => clean(html).html;
const countOf = (html: string) => html.match(/<[a-z]/g)?.length ?? 0;

function deepestOf(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [tag] of html.matchAll(/<\/?[a-z0-9]+/g)) {
    if (/^<(?:col|br|img|hr|wbr)$/.test(tag)) continue;
    depth += tag[1] === "/" ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

describe("unclosed elements are closed where a browser would close them", () => {
  test.each([
    ["a paragraph by the next block", "<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c"],
    [
      "items by the next item, but not by one of a list within",
      "<ul><li>a<ul><li>b</ul><li>c",
      "<ul><li>a<ul><li>b</li></ul></li><li>c",
    ],
    [
      "cells and rows by the next ones",
      "<table><tr><td>a<td>b<tr><td>c</table>d",
      "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>d",
    ],
    ["a link by the next link", "<a>a<b>b<a>c", "<a>a<b>b</b></a><a><b>c"],
    ["a heading by the next heading, whatever its level", "<h1>a<h2>b</h3>c", "<h1>a</h1><h2>b</h2>c"],
    ["a table by another one outside a cell", "<table><table><tr><td>a", "<table></table><table><tr><td>a"],
  ])("%s", (_, html, shown) => expect(htmlOf(html)).toBe(shown));
});

test.each([
  ["<p><b>a<p>b", "<p><b>a</b></p><p><b>b"],
  ["<b><p>a</b>b</p>", "<b><p>a</p></b><p>b</p>"],
  ["<p><font color=red>a</p>b", '<p><font color="red">a</font></p><font color="red">b'],
  ["<p><b>a<table><tr><td>b", "<p><b>a</b></p><b><table><tr><td>b"],
])("open formatting continues after the end of its parent element: %s", (html, shown) =>
  expect(htmlOf(html)).toBe(shown),
);

test.each([
  ["an end tag without a start tag", "a</div>b</p>c", "abc"],
  ["an end tag in a cell for an element outside", "<div><table><tr><td>a</div>b", "<div><table><tr><td>ab"],
  ["parts of a table outside of one", "<td>a</td><tr><caption>b", "ab"],
  ["elements of a table outside of its cells", "<table><b>a</b><tr><div><td>b", "<table>a<tr><td>b"],
])("%s is omitted", (_, html, shown) => expect(htmlOf(html)).toBe(shown));

describe("a small message never becomes a large document", () => {
  const fonts = Array.from({ length: 500 }, (_, index) => `<font color=${index}>`).join("");
  test.each([
    ["many unclosed fonts, which every paragraph would reopen", `<p>${fonts}${"<p>x".repeat(10_000)}`],
    ["many elements", "<p>x</p>".repeat(100_000)],
    ["deeply nested elements", "<b>".repeat(100_000)],
    ["deeply nested tables", "<table><tr><td>x".repeat(20_000)],
    ["cells that span many rows and columns", `<table>${"<tr><td colspan=1000 rowspan=65534>x".repeat(10_000)}`],
    ["columns that span columns", `<table>${"<col span=1000>".repeat(10_000)}`],
    ["end tags without start tags", "</div>".repeat(100_000)],
  ])("%s", (_, html) => {
    const shown = clean(html);
    expect(countOf(shown.html)).toBeLessThanOrEqual(ELEMENTS_MAX);
    expect(shown.isCut).toBe(true);
    expect(shown.html).not.toMatch(/span="\d{4,}"/);
    expect(deepestOf(shown.html)).toBeLessThanOrEqual(200);
  });

  test("one image referenced many times", () => {
    const picture = `data:image/png;base64,${"A".repeat(4 * 1024 * 1024)}`;
    const shown = clean('<img src="cid:a" alt="A">'.repeat(1000), new Map([["a", picture]]));
    expect(shown.isCut).toBe(true);
    expect(shown.html.length).toBeLessThan(21 * 1024 * 1024);
    expect(shown.leftOut).toBe(0);
  });

  test("a large newsletter is shown completely", () => {
    const row = `<tr><td colspan="2"><font color="#333"><a href="https://good.example/">Words</a></font></td></tr>`;
    const shown = clean(`<center><table>${row.repeat(2000)}</table></center>`);
    expect(shown.isCut).toBe(false);
    expect(countOf(shown.html)).toBe(2 + 4 * 2000);
  });
});
