import { fill, find, language } from "./texts.ts";

/** Before keys of texts with `{placeholders}` in which only the server puts values (`messages.json`). */
const PATTERN = "~";

/** Texts that the server or a schema made, in English, one or several; never one that a person typed. */
export function said(english: string): string {
  const texts = globalThis.kaukeTexts;
  if (texts === undefined || english in texts) return find(english);
  for (const [key, translation] of Object.entries(texts)) {
    if (typeof translation !== "string" || !key.startsWith(PATTERN)) continue;
    const values = valuesIn(english, key.slice(PATTERN.length));
    if (values !== null) return fill(translation, values);
  }
  const sentences = english.split(/(?<=[^ ]{2}\.) (?=[A-Z])/);
  return sentences.length > 1 ? sentences.map(said).join(" ") : english;
}

/** @example valuesIn("At most 5,000 rows", "At most {max} rows") // in German { max: "5.000" } */
function valuesIn(english: string, text: string): Record<string, string> | null {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const pattern = text.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\{\w+\}/g, "(.+)");
  const found = new RegExp(`^${pattern}$`, "s").exec(english)?.slice(1);
  return found === undefined ? null : Object.fromEntries(names.map((name, at) => [name, localValue(found[at] ?? "")]));
}

function localValue(value: string): string {
  if (/^\d{1,3}(?:,\d{3})+$/.test(value)) return Number(value.replaceAll(",", "")).toLocaleString(language());
  if (!/^\d{1,2} [A-Z][a-z]{2} \d{4}$/.test(value)) return value;
  return new Date(value).toLocaleDateString(language(), { day: "numeric", month: "short", year: "numeric" });
}
