import { expect, test } from "vitest";
import { openLinksInTabs } from "./preview-page.ts";

const base = '<base target="_blank">';
const beside = " target=_blank rel=noreferrer ping";

test.each([
  ['<p><a href="/x">x</a></p>', `<p><a${beside} href="/x">x</a></p>`],
  ['<A HREF=x TARGET=_top rel="opener" ping="/p">x</A>', `<A${beside} HREF=x TARGET=_top rel="opener" ping="/p">x</A>`],
  ["<a/href='a>b'/target='_self'>x", `<a${beside}/href='a>b'/target='_self'>x`],
  ['<area href=y><a href="never closed', `<area${beside} href=y><a${beside} href="never closed`],
  ["<abbr>a < b</abbr><article><basefont><linked>", "<abbr>a < b</abbr><article><basefont><linked>"],
])("a link opens in a new tab, whatever its own attributes: %j", (html, changed) =>
  expect(openLinksInTabs(html)).toBe(base + changed),
);

test.each([
  ['<LINK rel="preconnect" href="//x">', '<LINK-off rel="preconnect" href="//x">'],
  ["<base\nhref=x target=_self>", "<base-off\nhref=x target=_self>"],
  ["<meta http-equiv=refresh>", "<meta-off http-equiv=refresh>"],
  ['<iframe srcdoc="&lt;link&gt;">', '<iframe-off srcdoc="&lt;link&gt;">'],
  ["<set attributeName=target to=_self>", "<set-off attributeName=target to=_self>"],
])("elements that a policy does not cover are disabled: %j", (html, changed) =>
  expect(openLinksInTabs(html)).toBe(base + changed),
);

test.each(["<li<base>nk rel=preconnect>", "<<base>a target=_self>", "<<link>a href=x target=_self>"])(
  "no change creates a new tag: %j",
  (html) =>
    expect(openLinksInTabs(html).slice(base.length)).not.toMatch(/<(?:link|base|a(?! target=_blank))(?=[\s/>])/),
);

test("a link opens in a new tab even where parsers disagree whether it is in an attribute value", () => {
  const html = openLinksInTabs(`<p title="<a x='"><a href=y target=_self>go</a><i title='>`);
  // Rewriting leaves the message's quotes unchanged, so a browser still finds the link in the second `<a`.
  expect(html).toBe(`${base}<p title="<a${beside} x='"><a${beside} href=y target=_self>go</a><i title='>`);
});

test("rewriting takes linear time for any unclosed elements", () => {
  const begin = performance.now();
  for (const piece of ["<a ", '<a "', "<a href='", "<a b=c ", '<a x="y">', "<a\n/", "<", "<link"])
    openLinksInTabs(piece.repeat(20_000));
  expect(performance.now() - begin).toBeLessThan(5000);
});
