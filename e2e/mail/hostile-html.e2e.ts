/**
 * HTML made to harm the page that shows it, in the browser: the sanitized HTML needs no repair by the parser, and does
 * not block the page.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { generateKeyPair } from "@kauke/age";
import { rounds } from "@kauke/testkit/long-rounds";
import { expect, test } from "vitest";
import { cleanMailHtml } from "../../apps/web/src/features/decrypt/mail/clean-mail-html.ts";
import { elements } from "../../apps/web/src/features/decrypt/mail/element-writer.ts";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { encryptedText } from "../keys/encrypted-texts.ts";
import { multipartMessage, subjectOf } from "./message.ts";

const site = runSite();

/** Tag names; those with parsing rules of their own are listed more often. */
const names = [
  ...elements,
  ..."table tr td tbody caption col th b a font p div li ul dd dl h1 h2".split(" ").flatMap((it) => [it, it, it, it]),
];

/** Returns a random integer below the limit. */
type Below = (limit: number) => number;

/** Returns documents of random chunks, the same in every run. */
function makeSoups(count: number, piece: (below: Below) => string = anyTag): string[] {
  let seed = 11;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  return Array.from({ length: count }, () => Array.from({ length: 30 }, () => piece(below)).join(""));
}

function anyTag(below: Below): string {
  const name = names[below(names.length)];
  const kind = below(20);
  return kind < 11 ? `<${name}>` : kind < 17 ? `</${name}>` : "words";
}

/** Markup that runs or loads something, also hidden in attributes, and tags that change how a parser reads the rest. */
const attacks = [
  "<script>x()</script>",
  "<img src=x onerror=x()>",
  "<img src=//x srcset='//y 2x'>",
  "<a href='java&#9;script:x()'>",
  "<a href=data:text/html,x xlink:href=javascript:x()>",
  "<p style='background:url(//x)' onclick=x()>",
  "<td background=//x>",
  '<p title="</style><img src=x onerror=x()>">',
  "<p title='--><img src=x onerror=x()>'>",
  "<p title=`<img src=x onerror=x()>`>",
  "<svg>",
  "<math>",
  "<style>",
  "<title>",
  "<noscript>",
  "<template>",
  "<select>",
  "<textarea>",
  "<xmp>",
  "<desc>",
  "</svg>",
  "</math>",
  "</style>",
  "</title>",
  "</noscript>",
  "</template>",
  "</p>",
  "</table>",
  "</form>",
  "</a>",
  "<mglyph>",
  "<mtext>",
  "<foreignobject>",
  "<annotation-xml encoding=text/html>",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "--!>",
  "<!",
  "<?",
  "</",
  "<",
  ">",
  '"',
  "'",
  "&lt;",
  "&#60;img src=x onerror=x()&#62;",
  "\0",
  "<form><input name=attributes>",
  "<form id=x><input name=parentNode>",
  "<a id=body name=cookie>",
  "<form>",

  "<iframe srcdoc='<script>x()</script>'>",
  "<object data=//x>",
  "<embed src=//x>",
  "<base href=//x>",
  "<link href=//x>",
  "<table>",
  "<tr>",
  "<td>",
  "<caption>",
  "<font>",
  "<b>",
  "<p>",
  "<h1>",
  "<li>",
  "words",
];

const oneAttack = (below: Below) => attacks[below(attacks.length)] ?? "";

/**
 * DOMPurify, with its own allow-list and the `target` that we give to links. It also removes a title attribute that
 * contains `<` or `>`, which would matter in XML only; that is not a finding, since the frame parses HTML.
 */
const purifier = readFileSync(createRequire(import.meta.url).resolve("dompurify/dist/purify.min.js"), "utf8");
const purified = (documents: readonly string[]) => `${JSON.stringify(documents)}.map((html) => {
  DOMPurify.sanitize(html, { ADD_ATTR: ["target"] });
  const isWords = ({ attribute }) => attribute?.name === "title" && /[<>]/.test(attribute.value);
  return DOMPurify.removed.filter((it) => !isWords(it)).map((it) => html + " has " + (it.attribute?.name ?? it.element.nodeName));
}).filter((removed) => removed.length > 0).flat()`;

/**
 * Script that returns the documents whose parsed elements differ from those written, or are in another order. Elements
 * that the parser adds inside a table are ignored.
 */
const repaired = (documents: readonly string[]) => `${JSON.stringify(documents)}.filter((html) => {
  const isAdded = (name) => ["tbody", "tr", "colgroup"].includes(name);
  const read = new DOMParser().parseFromString("<!doctype html><body>" + html, "text/html").body.querySelectorAll("*");
  const written = [...html.matchAll(/<([a-z0-9]+)/g)].map((it) => it[1]);
  return [...read].map((it) => it.localName).filter((it) => !isAdded(it)).join() !== written.filter((it) => !isAdded(it)).join();
})`;

test("the browser's parser repairs nothing in sanitized HTML", async () => {
  const { page } = await site.visit();
  const soups = makeSoups(rounds(1000, 5000));
  // Control: documents that are not sanitized need repair.
  expect(((await page.evaluate(repaired(soups))) as string[]).length).toBeGreaterThan(soups.length * 0.8);
  expect(await page.evaluate(repaired(soups.map((html) => cleanMailHtml(html, new Map()).html)))).toEqual([]);
});

test("DOMPurify finds nothing to remove in what was cleaned", async () => {
  const { page } = await site.visit();
  // DOMPurify runs on a blank page, since the content security policy of our pages does not allow DOMPurify.
  await page.goto("about:blank");
  await page.evaluate(purifier);
  const soups = [...makeSoups(rounds(750, 3000), oneAttack), ...makeSoups(rounds(250, 1000))];
  // Control: DOMPurify removes much from documents that are not sanitized.
  expect(((await page.evaluate(purified(soups))) as string[]).length).toBeGreaterThan(soups.length * 1.25);
  expect(await page.evaluate(purified(soups.map((html) => cleanMailHtml(html, new Map()).html)))).toEqual([]);
});

test("a message of unclosed elements is shown in part, and the page stays responsive", async () => {
  const { page } = await site.visit({ as: await site.person() });
  const { publicKey, privateKey } = await generateKeyPair();
  const fonts = Array.from({ length: 500 }, (_, index) => `<font color=${index}>`).join("");
  const message = multipartMessage(9, `<p>${fonts}${"<p>x".repeat(10_000)}`).toString("latin1");
  await page.goto("/decrypt");
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  const form = page.getByRole("form", { name: "Manual Decrypt" });
  await form.getByLabel("Private Key").fill(privateKey);
  await form.getByLabel("Encrypted Text").fill(await encryptedText(message, publicKey));
  await form.getByRole("button", { name: "Decrypt Message" }).click();
  await seeHeading(page, subjectOf(9));
  await page.getByText("Not all of it is shown.").waitFor();
  await page.getByRole("tab", { name: "HTML" }).click();
  await page.frameLocator("iframe[title='HTML of the message']").getByRole("heading", { name: "Parcel 9" }).waitFor();
  await page.getByRole("button", { name: "Clear Results" }).click();
  await page.getByText("Enter encrypted text and decrypt to see results").waitFor();
});
