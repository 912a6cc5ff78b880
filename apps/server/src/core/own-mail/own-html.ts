/**
 * HTML part of the messages we write ourselves: product name, one sheet, and the main link as a button. Light or dark
 * as the mail program prefers, system fonts, no images, and no URLs but the links of the text. Pure.
 */
import { product } from "@kauke/contract";

/** A paragraph that consists of one link. */
const onlyLink = /^<a href="[^"]*">[^<]*<\/a>$/;

/** Colours of the site's theme. Mail programs without media queries show the light form. */
const style = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  "body{margin:0;padding:32px 16px;background:#f6f7f7;color:#3a4046;font:16px/1.5 system-ui,-apple-system,Segoe UI,sans-serif}",
  ".sheet{max-width:34rem;margin:0 auto;padding:24px 28px;background:#ffffff;border:1px solid #e2e5e7;border-radius:10px}",
  ".brand{margin:0 0 20px;color:#121417;font-weight:700;letter-spacing:-.02em}",
  ".brand span{display:inline-block;width:18px;height:9px;margin-right:8px;background:#ffb000;border-radius:2px}",
  "h1{margin:0 0 16px;color:#121417;font-size:20px;line-height:1.3}",
  "p{margin:0 0 16px}",
  "a{color:#8a5000}",
  ".do a{display:inline-block;padding:10px 18px;background:#ffb000;border-radius:6px}",
  ".do a{color:#1a1200;font-weight:600;text-decoration:none}",
  "@media (prefers-color-scheme:dark){",
  "body{background:#0b0c0d;color:#c6cacd}",
  ".sheet{background:#111314;border-color:#222629}",
  ".brand,h1{color:#f1f2f3}",
  "a{color:#ffb92e}",
  ".do a{color:#1a1200}",
  "}",
];

/**
 * Builds the HTML of a message that we write ourselves.
 * @param paragraphs inserted without escaping: only our own sentences, and single links
 * @returns lines of HTML, short and in ASCII
 */
export function ownHtml(subject: string, paragraphs: readonly string[]): string[] {
  const main = paragraphs.findIndex((paragraph) => onlyLink.test(paragraph));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${subject}</title><style>`,
    ...style,
    '</style></head><body><div class="sheet">',
    `<p class="brand"><span></span>${product.name}</p>`,
    `<h1>${subject}</h1>`,
    ...paragraphs.map((it, index) => (index === main ? `<p class="do">${it}</p>` : `<p>${it}</p>`)),
    "</div></body></html>",
  ];
}
