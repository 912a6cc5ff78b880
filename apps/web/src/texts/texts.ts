/**
 * The texts of the app in the reader's language. English texts are the keys of the catalogues in `de/` and `lt/`; a text
 * that is missing there fails the type check. The language is that of the document (`scripts/texts.ts`) and stays until
 * the page is loaded again, so a text may be a constant of a module.
 */
import { product } from "@kauke/contract/limits";
import { createElement, Fragment, type ReactNode } from "react";
import type { Text } from "./catalogue.ts";

type NameIn<T extends string> = T extends `${string}{${infer Key}}${infer Rest}` ? Key | NameIn<Rest> : never;
/** `{product}` fills itself in. */
type Name<T extends string> = Exclude<NameIn<T>, "product">;
export type TextValues<T extends string> = Record<Name<T>, string | number>;
type ValuesOf<T extends string> = [Name<T>] extends [never] ? [] : [values: TextValues<T>];
type Tag<T extends string> = T extends `${string}</${infer Key}>${infer Rest}` ? Key | Tag<Rest> : never;
type Parts<T extends string> = Record<Name<T>, ReactNode> & Record<Tag<T>, (inner: string) => ReactNode>;

/** A text, or its forms by plural category (`Intl.PluralRules`). */
export type Translation = string | Partial<Record<Intl.LDMLPluralRule, string>>;

declare global {
  /** Catalogue entries loaded so far; none in English. */
  var kaukeTexts: Record<string, Translation> | undefined;
}

/** Tag of the language, which the catalogues have under the empty text. */
export const language = (): string => find("") || "en";

export function find(text: string): string {
  const found = (globalThis.kaukeTexts?.[text] ?? text) as string;
  return found.replace("{product}", product.name);
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => `${values[name] ?? all}`);
}

/** @param values for the `{names}` in the text */
// The bundler drops constants with texts that no page uses.
/* @__NO_SIDE_EFFECTS__ */
export function t<T extends Text>(text: T, ...[values]: ValuesOf<T>): string {
  return values === undefined ? find(text) : fill(find(text), values);
}

/** A text with elements: `{name}` stands for a node, `<name>…</name>` for an element around a part of the text. */
export function rich<T extends Text>(text: T, parts: Parts<T>): ReactNode {
  const given = parts as Record<string, ReactNode | ((inner: string) => ReactNode)>;
  const nodes: ReactNode[] = [];
  const found = find(text);
  let end = 0;
  for (const { 0: all, 1: tag, 2: inner, 3: name, index } of found.matchAll(/<(\w+)>(.*?)<\/\1>|\{(\w+)\}/g)) {
    const part = given[tag ?? name ?? ""];
    nodes.push(found.slice(end, index), typeof part === "function" ? part(inner ?? "") : part);
    end = index + all.length;
  }
  return createElement(Fragment, null, ...nodes, found.slice(end));
}
