/**
 * HTML made to harm the page that shows it, in the browser: the sanitized HTML needs no repair by the parser, and does
 * not block the page.
 */
import { generateKeyPair } from "@kauke/age";
import { expect, test } from "vitest";
import { cleanMailHtml } from "../../apps/web/src/features/decrypt/mail/clean-mail-html.ts";
import { elements } from "../../apps/web/src/features/decrypt/mail/element-kinds.ts";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { sealText } from "../keys/sealed.ts";
import { multipartMessage, subjectOf } from "./message.ts";

const site = runSite();

/** Tag names; those with parsing rules of their own are listed more often. */
const names = [
  ...elements,
  ..."table tr td tbody caption col th b a font p div li ul dd dl h1 h2".split(" ").flatMap((it) => [it, it, it, it]),
];

/** Tags of all kinds in random order, from a fixed seed. */
function makeSoups(count: number): string[] {
  let seed = 11;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const piece = () => {
    const name = names[below(names.length)];
    const kind = below(20);
    return kind < 11 ? `<${name}>` : kind < 17 ? `</${name}>` : "words";
  };
  return Array.from({ length: count }, () => Array.from({ length: 30 }, piece).join(""));
}

/**
 * The documents whose parsed elements differ from those written, or are in another order. Inside a table the parser
 * adds some.
 */
const repaired = (documents: readonly string[]) => `${JSON.stringify(documents)}.filter((html) => {
  const isAdded = (name) => ["tbody", "tr", "colgroup"].includes(name);
  const read = new DOMParser().parseFromString("<!doctype html><body>" + html, "text/html").body.querySelectorAll("*");
  const written = [...html.matchAll(/<([a-z0-9]+)/g)].map((it) => it[1]);
  return [...read].map((it) => it.localName).filter((it) => !isAdded(it)).join() !== written.filter((it) => !isAdded(it)).join();
})`;

test("the browser's parser repairs nothing in sanitized HTML", async () => {
  const { page } = await site.visit();
  const soups = makeSoups(5000);
  // Control: documents that are not sanitized need repair.
  expect(((await page.evaluate(repaired(soups))) as string[]).length).toBeGreaterThan(4000);
  expect(await page.evaluate(repaired(soups.map((html) => cleanMailHtml(html, new Map()).html)))).toEqual([]);
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
  await form.getByLabel("Encrypted Text").fill(await sealText(message, publicKey));
  await form.getByRole("button", { name: "Decrypt Message" }).click();
  await seeHeading(page, subjectOf(9));
  await page.getByText("Not all of it is shown.").waitFor();
  await page.getByRole("tab", { name: "HTML" }).click();
  await page.frameLocator("iframe[title='HTML of the message']").getByRole("heading", { name: "Parcel 9" }).waitFor();
  await page.getByRole("button", { name: "Clear Results" }).click();
  await page.getByText("Enter encrypted text and decrypt to see results").waitFor();
});
