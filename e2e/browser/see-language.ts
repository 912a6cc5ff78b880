/** Looks at pages in another language: finds texts as the app does, and what is left in English. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { pairsOf } from "../screens/in-language.ts";

export type Say = (english: string, values?: Readonly<Record<string, string>>) => string;

/** Looks texts up as the app does. @throws Error for a text that the catalogue lacks */
export function sayIn(language: string): Say {
  const texts = new Map(pairsOf(language));
  return (english, values = {}) => {
    const translated = texts.get(english);
    if (translated === undefined) throw new Error(`The catalogue ${language} lacks "${english}".`);
    return translated.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  };
}

/** Texts and names that a person sees or hears on the page, except what says that it is English. */
const shownTexts = `(() => {
  const isShown = (element) => element.checkVisibility() && !element.closest("[lang=en]:not(html), code, kbd, textarea");
  const found = new Set([document.title]);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (isShown(walker.currentNode.parentElement)) found.add(walker.currentNode.data.trim());
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title], [alt]"))
    if (isShown(element))
      for (const name of ["aria-label", "placeholder", "title", "alt"]) found.add(element.getAttribute(name) ?? "");
  return [...found];
})()`;

const MIN_LETTERS = 10;
const partsOf = (text: string): string[] => text.split(/<\/?\w+>|\{\w+\}/).map((part) => part.trim());

/** @returns the shown texts that are English texts of a catalogue, or contain the fixed part of one */
export async function englishOn(page: Page, language: string): Promise<string[]> {
  const pairs = pairsOf(language);
  const known = new Set(pairs.flatMap(([, translated]) => [translated, ...partsOf(translated)]));
  const english = new Set(pairs.map(([text]) => text));
  const parts = new Set(
    pairs
      .flatMap(([text, translated]) => (text === translated ? [] : partsOf(text)))
      .filter((part) => part.length >= MIN_LETTERS && !known.has(part)),
  );
  const shown = (await page.evaluate(shownTexts)) as string[];
  const isEnglish = (text: string) => english.has(text) || [...parts].some((part) => text.includes(part));
  return shown.filter((text) => text !== "" && !known.has(text) && isEnglish(text));
}

export async function expectLanguage(page: Page, language: string): Promise<void> {
  const { pathname } = new URL(page.url());
  const seen = {
    pathname,
    lang: await page.locator("html").getAttribute("lang"),
    english: await englishOn(page, language),
  };
  expect(seen).toEqual({ pathname, lang: language, english: [] });
}

/** As `seeLive`, by the toggle's name in the language. */
export async function seeLiveIn(page: Page, say: Say): Promise<void> {
  const toggle = page.getByRole("button", { name: say("Switch between light and dark theme") });
  await expect.poll(() => toggle.isEnabled()).toBe(true);
}
