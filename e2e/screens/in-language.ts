/**
 * Draws an open page in another language without loading it again: each English text in it becomes its translation. So
 * the steps that open a screen, which find everything by its English name, serve for the widths of all languages. What
 * the app itself draws in them is shown in languages.e2e.ts.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCatalogue } from "../../scripts/text-files.ts";
import type { Visit } from "../browser/browser.ts";

const sources = join(import.meta.dirname, "../../apps/web/src");
const texts = join(sources, "texts");

type Pair = readonly [english: string, translated: string];

/** Every text with its translation; the longest form of a plural. */
export function pairsOf(language: string): Pair[] {
  const longest = (forms: readonly string[]) => forms.toSorted((a, b) => b.length - a.length)[0] ?? "";
  return (
    Object.entries(readCatalogue(texts, language))
      .filter(([english]) => english !== "")
      // A mark before a text says that the server puts the values in.
      .map(([english, forms]) => [
        english.replace(/^~/, ""),
        typeof forms === "string" ? forms : longest(Object.values(forms)),
      ])
  );
}

/** English for exactly 1, which stands in the sources alone, with its translation. */
function singularsOf(language: string): Pair[] {
  const catalogue = readCatalogue(texts, language);
  const files = globSync("**/*.{ts,tsx}", { cwd: sources }).map((file) => readFileSync(join(sources, file), "utf8"));
  const calls = files.flatMap((file) => [...file.matchAll(/\bplural\([^"]*"([^"]+)",\s*"([^"]+)"/g)]);
  return calls.flatMap(([, one = "", other = ""]) => {
    const forms = catalogue[other];
    return typeof forms === "object" ? [[one, forms.one ?? forms.other ?? ""] as const] : [];
  });
}

const script = (pairs: readonly Pair[]): string => `(() => {
  const pairs = ${JSON.stringify(pairs)};
  const exact = new Map(pairs);
  const escape = (text) => text.replace(/[.*+?^$()|[\\]\\\\{}]/g, "\\\\$&");
  // Text between the elements of a text is a node of its own.
  const parts = /<\\/?\\w+>|\\{\\w+\\}/;
  for (const [english, translated] of pairs) {
    const [from, to] = [english.split(parts), translated.split(parts)];
    if (from.length === to.length) from.forEach((part, at) => exact.has(part.trim()) || exact.set(part.trim(), to[at].trim()));
  }
  const patterns = pairs.flatMap(([english, translated]) => {
    const names = [...english.matchAll(/\\{(\\w+)\\}/g)].map(([, name]) => name);
    const fixed = english.split(/\\{\\w+\\}/);
    if (names.length === 0 || !/[a-z]{2}/i.test(fixed.join(""))) return [];
    return [{ names, translated, fixed: fixed.join("").length, pattern: new RegExp("^" + fixed.map(escape).join("(.+)") + "$") }];
  }).sort((a, b) => b.fixed - a.fixed);
  const translate = (text) => {
    if (exact.get(text)) return exact.get(text);
    for (const { names, translated, pattern } of patterns) {
      const found = pattern.exec(text);
      if (found) return translated.replace(/\\{(\\w+)\\}/g, (all, name) => found[names.indexOf(name) + 1] ?? all);
    }
    return text.endsWith(".") ? translate(text.slice(0, -1)) + "." : text;
  };
  const undone = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.data.trim();
    if (text === "" || node.parentElement.closest("script, style, code, textarea")) continue;
    const translated = translate(text);
    if (translated === text) continue;
    undone.push([node, "data", node.data]);
    node.data = node.data.replace(text, () => translated);
  }
  for (const field of document.querySelectorAll("[placeholder]")) {
    undone.push([field, "placeholder", field.placeholder]);
    field.placeholder = translate(field.placeholder);
  }
  window.drawInEnglish = () => undone.forEach(([node, property, text]) => { node[property] = text; });
  return undone.length;
})()`;

/** @returns how many texts were drawn */
export async function drawInLanguage({ page }: Pick<Visit, "page">, language: string): Promise<number> {
  return (await page.evaluate(script([...pairsOf(language), ...singularsOf(language)]))) as number;
}

export async function drawInEnglish({ page }: Pick<Visit, "page">): Promise<void> {
  await page.evaluate("window.drawInEnglish()");
}
