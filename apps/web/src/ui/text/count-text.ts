import { language } from "../../texts/texts.ts";

/** Between thousands; a comma in English. */
const separators: Readonly<Record<string, string>> = { de: ".", lt: "\u00a0" };

/** @example countText(1234567) // "1,234,567". Without `Intl`, whose first use blocks slow phones for 50 ms. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, separators[language()] ?? ",");
}
