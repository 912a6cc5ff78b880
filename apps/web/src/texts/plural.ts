import type { Text } from "./catalogue.ts";
import { fill, language, type TextValues } from "./texts.ts";

/** @param one English for exactly 1 @param other English for other counts, and the key of the catalogue */
export function plural<T extends Text>(count: number, one: string, other: T, values: TextValues<T>): string {
  const forms = globalThis.kaukeTexts?.[other];
  if (typeof forms !== "object") return fill(count === 1 ? one : other, values);
  const form = forms[new Intl.PluralRules(language()).select(count)] ?? forms.other;
  return fill(form ?? other, values);
}
