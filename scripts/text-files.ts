/**
 * Writes the catalogues of apps/web/src/texts as scripts, `assets/texts-LANGUAGE-PART-HASH.js`, which documents in that
 * language load before the app. A text that a catalogue lacks ends the build.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { languages } from "../packages/contract/src/languages.ts";

export const translatedLanguages = Object.keys(languages).filter((language) => language !== "en");

const parts: Readonly<Record<string, readonly string[]>> = {
  public: ["common", "messages", "public"],
  guides: ["guides"],
  app: ["account", "admin", "aliases", "keys", "letters", "move"],
};

/** A text, or its forms by plural category. */
export type Translation = string | Record<string, string>;
type Catalogue = Record<string, Translation>;

/** @returns the catalogue of a language's areas; without `areas` all of it */
export function readCatalogue(texts: string, language: string, areas: readonly string[] = Object.values(parts).flat()) {
  const files = areas.map((area) => {
    const file = JSON.parse(readFileSync(join(texts, language, `${area}.json`), "utf8")) as Catalogue;
    return area === "messages" ? marked(file) : file;
  });
  return Object.assign({ "": language }, ...files) as Catalogue;
}

/** Marks the texts in which only the server puts values, so that `said` compares what the server made with no others. */
function marked(messages: Catalogue): Catalogue {
  const entries = Object.entries(messages);
  return Object.fromEntries(entries.map(([text, found]) => [text.includes("{") ? `~${text}` : text, found]));
}

const isTranslated = (text: Translation | undefined): boolean =>
  typeof text === "object" ? !Object.values(text).includes("") : Boolean(text);

/** @throws Error naming the texts that a catalogue lacks */
export function checkCatalogues(texts: string): void {
  const catalogues = translatedLanguages.map((language) => ({ language, catalogue: readCatalogue(texts, language) }));
  const all = [...new Set(catalogues.flatMap(({ catalogue }) => Object.keys(catalogue)))];
  for (const { language, catalogue } of catalogues) {
    const missing = all.filter((text) => !isTranslated(catalogue[text]));
    if (missing.length > 0) throw new Error(`The catalogue ${language} lacks: ${missing.join(" | ")}`);
  }
}

export function writeTextFiles(texts: string, dist: string): void {
  checkCatalogues(texts);
  for (const language of translatedLanguages)
    for (const [part, areas] of Object.entries(parts)) {
      const script = `globalThis.kaukeTexts=Object.assign(globalThis.kaukeTexts??{},${JSON.stringify(readCatalogue(texts, language, areas))});`;
      const hash = createHash("sha256").update(script).digest("base64url").slice(0, 8);
      writeFileSync(join(dist, "assets", `texts-${language}-${part}-${hash}.js`), script);
    }
}

/** @returns paths of a language's written scripts by part, e.g. `{ app: "/assets/texts-de-app-1a2b3c4d.js", … }` */
export function textFiles(dist: string, language: string): Record<string, string> {
  const names = readdirSync(join(dist, "assets"));
  return Object.fromEntries(
    Object.keys(parts).flatMap((part) => {
      const name = names.find((file) => file.startsWith(`texts-${language}-${part}-`) && file.endsWith(".js"));
      return name === undefined ? [] : [[part, `/assets/${name}`]];
    }),
  );
}
