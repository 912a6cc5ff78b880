import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, test } from "vitest";
import deCommon from "./de/common.json" with { type: "json" };
import dePublic from "./de/public.json" with { type: "json" };
import ltCommon from "./lt/common.json" with { type: "json" };
import ltPublic from "./lt/public.json" with { type: "json" };
import { plural } from "./plural.ts";
import { said } from "./said.ts";
import { language, rich, t } from "./texts.ts";

const catalogues = { de: { "": "de", ...deCommon, ...dePublic }, lt: { "": "lt", ...ltCommon, ...ltPublic } };

function inLanguage(name: keyof typeof catalogues): void {
  globalThis.kaukeTexts = catalogues[name];
}

afterEach(() => {
  globalThis.kaukeTexts = undefined;
});

const drawn = (node: ReturnType<typeof rich>) => renderToStaticMarkup(node as ReactElement);

describe("in English", () => {
  test("texts are their own keys, with values and the product's name filled in", () => {
    expect(language()).toBe("en");
    expect(t("Go to Dashboard")).toBe("Go to Dashboard");
    expect(t("Page {pageNumber}", { pageNumber: 3 })).toBe("Page 3");
    expect(t("Why {product}?")).toBe("Why Kauke?");
    expect(said("Alias not found")).toBe("Alias not found");
  });

  test.each([
    [1, "A session ends after 1 minute without activity."],
    [21, "A session ends after 21 minutes without activity."],
  ])("a count of %i is singular only for one", (count, text) => {
    expect(sessionText(count)).toBe(text);
  });
});

const sessionText = (count: number) =>
  plural(
    count,
    "A session ends after {count} minute without activity.",
    "A session ends after {count} minutes without activity.",
    { count },
  );

const secondsText = (count: number) =>
  plural(count, "About {count} second on this device.", "About {count} seconds on this device.", { count });

describe("in German", () => {
  test("texts come from the catalogue, in the order that the language wants", () => {
    inLanguage("de");
    expect(language()).toBe("de");
    expect(t("Go to Dashboard")).toBe("Zur Übersicht");
    expect(t("Remove {address}", { address: "a@kauke.test" })).toBe("a@kauke.test entfernen");
  });

  test.each([
    [1, "Etwa 1 Sekunde auf diesem Gerät."],
    [2, "Etwa 2 Sekunden auf diesem Gerät."],
    [10, "Etwa 10 Sekunden auf diesem Gerät."],
    [21, "Etwa 21 Sekunden auf diesem Gerät."],
  ])("a count of %i has its form", (count, text) => {
    inLanguage("de");
    expect(secondsText(count)).toBe(text);
  });

  test("elements stand where the translated text has them", () => {
    inLanguage("de");
    const link = (inner: string) => createElement("a", null, inner);
    expect(drawn(rich("New here? <link>Create an account</link>", { link }))).toBe("Neu hier? <a>Konto anlegen</a>");
    const span = createElement("i", null, "a@b.test");
    expect(drawn(rich("You sign in here with {span}. Confirm it if you had this link sent to you.", { span }))).toBe(
      "Du meldest dich hier mit <i>a@b.test</i> an. Bestätige es, wenn du dir diesen Link hast schicken lassen.",
    );
  });
});

describe("in Lithuanian", () => {
  test.each([
    [1, "Apie 1 sekundę šiame įrenginyje."],
    [2, "Apie 2 sekundes šiame įrenginyje."],
    [10, "Apie 10 sekundžių šiame įrenginyje."],
    [21, "Apie 21 sekundę šiame įrenginyje."],
  ])("a count of %i has its form", (count, text) => {
    inLanguage("lt");
    expect(secondsText(count)).toBe(text);
  });

  test("a quoted name is filled in", () => {
    inLanguage("lt");
    expect(t("Why {product}?")).toBe("Kodėl „Kauke“?");
  });
});

describe("texts of the server", () => {
  const catalogue = {
    "": "de",
    "Alias not found": "Alias nicht gefunden",
    "{first} and {second}": "{first} und {second}",
    "~The name {name} is reserved.": "Der Name {name} ist reserviert.",
    "~An account holds {max} aliases at most.": "Ein Konto hat höchstens {max} Aliasse.",
    "~Needs {product}'s own engine.": "Braucht die eigene Engine von {product}.",
  };

  test("are found whole, or by the text around their values", () => {
    globalThis.kaukeTexts = catalogue;
    expect(said("Alias not found")).toBe("Alias nicht gefunden");
    expect(said("The name {x} (a.b) is reserved.")).toBe("Der Name {x} (a.b) ist reserviert.");
    expect(said("Needs Kauke's own engine.")).toBe("Braucht die eigene Engine von Kauke.");
  });

  test("are found one by one if the server put several together", () => {
    globalThis.kaukeTexts = catalogue;
    expect(said("Alias not found. An account holds 2 aliases at most. Ask the operator.")).toBe(
      "Alias not found. Ein Konto hat höchstens 2 Aliasse. Ask the operator.",
    );
  });

  test("have numbers as the language writes them", () => {
    globalThis.kaukeTexts = catalogue;
    expect(said("An account holds 5,000 aliases at most.")).toBe("Ein Konto hat höchstens 5.000 Aliasse.");
    expect(said("An account holds 500 aliases at most.")).toBe("Ein Konto hat höchstens 500 Aliasse.");
    expect(said("The name 5 Dec 2026 is reserved.")).toBe("Der Name 5. Dez. 2026 ist reserviert.");
  });

  test("stay English if no catalogue has them, and are compared with no text of the app", () => {
    globalThis.kaukeTexts = catalogue;
    expect(said("Salt and pepper")).toBe("Salt and pepper");
  });

  test("a text that a person typed is not passed, so a value with a catalogue's text stays as it is", () => {
    inLanguage("de");
    expect(t("Remove {address}", { address: "Delete" })).toBe("Delete entfernen");
  });
});
