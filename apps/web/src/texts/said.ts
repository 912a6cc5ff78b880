import { fill, find } from "./texts.ts";

/** A text that the server or a schema made, in English; never one that a person typed. */
export function said(english: string): string {
  const texts = globalThis.kaukeTexts;
  if (texts === undefined || english in texts) return find(english);
  for (const [key, translation] of Object.entries(texts)) {
    if (typeof translation !== "string" || !key.includes("{")) continue;
    const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const pattern = key.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "(.+)");
    const [, ...found] = new RegExp(`^${pattern}$`).exec(english) ?? [];
    if (found.length > 0)
      return fill(translation, Object.fromEntries(names.map((name, at) => [name, found[at] ?? ""])));
  }
  return english;
}
