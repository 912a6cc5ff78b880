/**
 * The catalogues in apps/web/src/texts have exactly the texts that the web app's sources look up, each in the area of its
 * place, and translate them whole; and no text that a person reads is written past them. After a change of a text:
 * `npx vitest run scripts/consistency/texts.test.ts -u` adds new texts (empty), drops unused ones and sorts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";
import { type Translation, translatedLanguages } from "../text-files.ts";
import { bypassingTexts, type Source, usedTexts } from "./web-texts.ts";

const root = repositoryRoot();
const web = "apps/web/src/";
const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !/\.(?:test|testing)\.tsx?$/.test(path);
const sourcesIn = (folders: RegExp): Source[] =>
  repositoryFiles(root)
    .filter((path) => folders.test(path) && isSource(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const sources = sourcesIn(/^apps\/web\/src\/(?!texts\/)/);

/** Areas of the catalogues by the folder or page that uses a text; `common` has those of several, and of the ground. */
const areas: readonly (readonly [area: string, path: RegExp])[] = [
  ["common", /^(?:api|app|drafts|main|ui|vault)/],
  ["account", /^features\/(?:account|api-keys|domains|forwarding|mailboxes|smtp-credentials)\/|^pages\/Settings/],
  ["admin", /^features\/admin\/|^pages\/Admin/],
  ["aliases", /^features\/(?:aliases|first-run|notices|palette)\/|^pages\/Dashboard/],
  ["guides", /^pages\/(?:ClientsGuide|Docs|MovingGuide|SmtpGuide)/],
  ["keys", /^features\/(?:decrypt|encryption-keys)\/|^pages\/Decrypt/],
  ["letters", /^features\/(?:compose|people|preview)\/|^pages\/(?:Compose|Preview)/],
  ["move", /^features\/move\/|^pages\/Move/],
  ["public", /^/],
];
const areaOf = (path: string): string => areas.find(([, place]) => place.test(path.slice(web.length)))?.[0] ?? "";

const uses = sources.flatMap((source) => usedTexts(source).map((use) => ({ ...use, area: areaOf(source.path) })));
const plurals = new Set(uses.filter(({ isPlural }) => isPlural).map(({ text }) => text));
const areaOfText = new Map<string, string>();
for (const { text, area } of uses)
  areaOfText.set(text, [area, undefined].includes(areaOfText.get(text)) ? area : "common");

type Catalogue = Record<string, Translation>;
const pathOf = (language: string, area: string): string => join(root, web, "texts", language, `${area}.json`);
const read = (language: string, area: string): Catalogue =>
  JSON.parse(readFileSync(pathOf(language, area), "utf8")) as Catalogue;
const allAreas = readdirSync(join(root, web, "texts", "de")).map((name) => name.replace(".json", ""));
const whole = (language: string): [text: string, translation: Translation][] =>
  allAreas.flatMap((area) => Object.entries(read(language, area)));

/** Plural categories that whole numbers have, in the order of CLDR. */
function categoriesOf(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  const found = new Set(Array.from({ length: 200 }, (_, count) => rules.select(count)));
  return (["zero", "one", "two", "few", "many", "other"] as const).filter((category) => found.has(category));
}

/** What a catalogue has for a text: its translation as far as it is known, with the forms of the language. */
function entryOf(language: string, text: string, known: Translation | undefined): Translation {
  if (!plurals.has(text)) return typeof known === "string" ? known : "";
  const forms = typeof known === "object" ? known : {};
  return Object.fromEntries(categoriesOf(language).map((category) => [category, forms[category] ?? ""]));
}

/** Texts that the server or a schema makes; the sources of the web app do not name them. */
const said = "messages";

function expectedFile(language: string, area: string): string {
  const known = Object.fromEntries(whole(language));
  const entries =
    area === said
      ? Object.entries(read(language, said)).filter(([text]) => !areaOfText.has(text))
      : [...areaOfText]
          .filter(([, place]) => place === area)
          .map(([text]) => [text, entryOf(language, text, known[text])] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/** The `{names}` and `<tags>` of a text, sorted. */
const partsOf = (text: string): string[] => (text.match(/\{\w+\}|<\/?\w+>/g) ?? []).sort();

/** The form for exactly one may leave the number out, unless it is also that for 21. */
function hasParts(form: string, category: string, text: string, language: string): boolean {
  const [given, wanted] = [partsOf(form), partsOf(text)];
  const isOnlyOne = category === "one" && new Intl.PluralRules(language).select(21) !== "one";
  const missing = wanted.filter((part) => !given.includes(part));
  return given.join() === wanted.join() || (isOnlyOne && missing.length === 1 && given.length === wanted.length - 1);
}

/** @returns what is wrong with a translation */
function faultsOf(language: string, text: string, translation: Translation): string[] {
  const isPlural = typeof translation === "object";
  const forms = Object.entries(isPlural ? translation : { other: translation }).filter(([, form]) => form !== "");
  const categories = categoriesOf(language).join();
  return [
    ...(isPlural && Object.keys(translation).join() !== categories ? ["categories"] : []),
    ...(forms.every(([category, form]) => hasParts(form, category, text, language)) ? [] : ["placeholders or tags"]),
    ...(forms.some(([, form]) => form !== form.trim()) && text === text.trim() ? ["space at an edge"] : []),
  ].map((fault) => `${text}: ${fault}`);
}

describe.each(translatedLanguages)("the catalogue %s", (language) => {
  test.each(allAreas)("has the texts of the area %s, and no others", async (area) => {
    await expect(expectedFile(language, area)).toMatchFileSnapshot(pathOf(language, area));
  });

  it("has no text in two areas", () => {
    const texts = whole(language).map(([text]) => text);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });

  it("has the placeholders, tags and plural forms that its language needs", () => {
    expect(whole(language).flatMap(([text, translation]) => faultsOf(language, text, translation))).toEqual([]);
  });

  it("has a translation of every text", () => {
    const empty = whole(language).filter(([, text]) =>
      (typeof text === "string" ? [text] : Object.values(text)).includes(""),
    );
    expect(empty.map(([text]) => text)).toEqual([]);
  });

  it("has an object of forms exactly for the texts that are counted", () => {
    const counted = whole(language).flatMap(([text, translation]) => (typeof translation === "object" ? [text] : []));
    expect(counted.filter((text) => areaOfText.has(text)).toSorted()).toEqual([...plurals].toSorted());
  });
});

test("all languages have the same texts", () => {
  const [first = [], ...others] = translatedLanguages.map((language) => whole(language).map(([text]) => text));
  for (const texts of others) expect(texts.toSorted()).toEqual(first.toSorted());
});

test("texts of the area messages are in the sources of the server, the contract or a package", () => {
  const code = sourcesIn(/^(?:apps\/server|packages\/[\w-]+)\/src\/|^apps\/web\/src\/vault\//);
  const all = code
    .map(({ text }) => text)
    .join("\n")
    .replace(/" \+\s+"/g, "")
    .replaceAll('\\"', '"');
  const isThere = (text: string): boolean =>
    new RegExp(text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".{1,200}?")).test(all);
  expect(Object.keys(read("de", said)).filter((text) => !isThere(text))).toEqual([]);
});

const productNames =
  /^(?:Apple Mail|Bitwarden|Chrome|Erine|Firefox(?: Relay)?|Forward Email|Gmail|Google|Keyguard|Mailx|Outlook|Proton (?:Mail|Pass)|Safari|Thunderbird|Tuta|Yahoo|AGE)$/;

/** Texts that are no part of a language, or only of English, by a file's path in the web app and the text. */
const exceptions: readonly (readonly [path: RegExp, text: RegExp, reason: string])[] = [
  [/^(?:features\/legal\/|pages\/(?:Gdpr|Privacy|Terms|Transparency)Page)/, /^/, "legal texts hold in English only"],
  [/^/, productNames, "names of products and formats"],
  [/^features\/(?:aliases\/list|palette)\//, /^(?:Ctrl|Enter|Esc)$/, "what is written on keys"],
  [
    /^/,
    /^(?:shell|btn) [\w -]+$|^(?:allow-popups|\.acts|\[role=|(?:a\[href\]|textarea),|\(prefers-)/,
    "classes, selectors and queries of CSS",
  ],
  [
    /^features\/decrypt\/mail\/(?:clean-mail-html|element-writer|read-mail)\.ts$/,
    /^/,
    "HTML that is allowed, and a head",
  ],
  [/^ui\/text\/hidden-character\.ts$/, /^/, "names of characters in Unicode"],
  [/^features\/aliases\/create\/domain-typo\.ts$/, /^/, "domains"],
  [
    /^features\/move\/export-file\//,
    /^(?:login|user|web|a quoted cell)/,
    "columns and faults in other programs' files",
  ],
  [/^(?:app\/shell|ui\/TypedConfirm)/, /^(?:DELETE|GDPR)$/, "the word to type, and the law's page, in English"],
  [/^ui\/text\/time-text\.ts$/, /^\{\} [KM]B$/, "units"],
  [/^features\/(?:decrypt|landing|smtp-credentials)\//, /^(?:-----BEGIN|mail\.log|localhost:)/, "values as they are"],
  [
    /^features\/(?:compose\/letter-store|smtp-credentials\/|wallet\/)/,
    /^(?:letter \{\}|password|secret|the (?:user|challenge) .*)$/,
    "words between parts of the code",
  ],
];
const isException = (path: string, text: string): boolean =>
  exceptions.some(([place, texts]) => place.test(path.slice(web.length)) && texts.test(text));

test("no text that a person reads is written past the catalogues", () => {
  const past = sources.flatMap((source) => bypassingTexts(source)).filter(({ path, text }) => !isException(path, text));
  expect(past.map(({ path, line, text }) => `${path}:${line}: ${text}`)).toEqual([]);
});

test("every exception is still needed", () => {
  const past = sources.flatMap((source) => bypassingTexts(source));
  for (const [place, texts, reason] of exceptions)
    expect(
      past.some(({ path, text }) => place.test(path.slice(web.length)) && texts.test(text)),
      reason,
    ).toBe(true);
});

describe("control", () => {
  test("a text is found in each kind of look-up, in both branches of a choice, and one that is no string is refused", () => {
    const text = 't(isNew ? "One" : "Two"); rich("Three <b>x</b>", {}); plural(2, "{n} site", "{n} sites", { n });';
    expect(usedTexts({ path: "a.ts", text }).map((use) => use.text)).toEqual([
      "One",
      "Two",
      "Three <b>x</b>",
      "{n} sites",
    ]);
    expect(() => usedTexts({ path: "a.ts", text: "t(text)" })).toThrow("no string");
  });

  test("wrong placeholders, tags, spaces and plural forms are reported", () => {
    expect(faultsOf("de", "{a} of {b}", "{a} von {c}")).toEqual(["{a} of {b}: placeholders or tags"]);
    expect(faultsOf("de", "<b>Bold</b>", "Fett")).toEqual(["<b>Bold</b>: placeholders or tags"]);
    expect(faultsOf("de", "Save", "Sichern ")).toEqual(["Save: space at an edge"]);
    expect(faultsOf("de", "{n} sites", { one: "Eine Seite", other: "{n} Seiten" })).toEqual([]);
    expect(faultsOf("de", "{n} sites", { one: "Eine Seite", other: "Seiten" })).toHaveLength(1);
    expect(faultsOf("lt", "{n} sites", { one: "{n} svetainė", other: "{n} svetainių" })).toEqual([
      "{n} sites: categories",
    ]);
  });

  test.each([
    ["an element", "<p>Hello there</p>"],
    ["one word of an element", "<p>{isOn ? 'active' : t('Paused')}</p>"],
    ["an attribute", '<Field label="Name" />'],
    ["an aria attribute", "<b aria-label={`Remove ${name}`} />"],
    ["a sentence in a call", 'showToast({ title: "Alias created" })'],
    ["a sentence in a template", "const sent = `${count} messages were sent.`;"],
    ["a word that a function of texts returns", 'const stateText = (isOn: boolean) => isOn ? "on" : "off";'],
  ])("a text in %s is found", (_, text) => {
    expect(bypassingTexts({ path: "a.tsx", text })).not.toEqual([]);
  });

  test.each([
    ["a text of the catalogue", '<p title={t("Name")}>{rich("All <b>good</b>", parts)}</p>'],
    ["code, classes and addresses", '<a className="btn big" href="/docs/smtp"><code>kauke backup</code></a>'],
    ["a comparison", 'if (state === "not there") run("not-there");'],
    ["an error for programmers", 'throw new Error("No such thing here.");'],
    ["a type", 'type State = "not there" | "all there";'],
  ])("%s is no finding", (_, text) => {
    expect(bypassingTexts({ path: "a.tsx", text })).toEqual([]);
  });
});
