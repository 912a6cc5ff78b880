/**
 * Renders the public pages to HTML without a browser, and checks that every figure on them is a constant of the
 * program.
 */
import {
  forwardingTexts,
  gdprArticles,
  legalFacts,
  limits,
  mailDays,
  pagePlaceholders,
  product,
  retentionDays,
  sessionTimes,
} from "@kauke/contract";
import type { ComponentType } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, test } from "vitest";
import { Router } from "wouter";
import { FeatureRow, replyWords } from "../features/landing/StaticSections.tsx";
import { AboutPage } from "./AboutPage.tsx";
import { GdprPage } from "./GdprPage.tsx";
import { ClientsGuidePage, DocsPage, MovingGuidePage, SmtpGuidePage } from "./guides.ts";
import { PrivacyPage } from "./PrivacyPage.tsx";
import { TermsPage } from "./TermsPage.tsx";
import { TransparencyPage } from "./TransparencyPage.tsx";

const sources = import.meta.glob<string>("./*Page.tsx", { query: "?raw", import: "default", eager: true });
const pages = { AboutPage, GdprPage, PrivacyPage, TermsPage, TransparencyPage };

/** The page's text, with whitespace collapsed to single spaces. */
function wordsOf(Page: ComponentType): string {
  return (
    markupOf(Page)
      .replace(/<[^>]+>/g, " ")
      .replaceAll("&#x27;", "'")
      // Replace the placeholder for the log retention by the server's default.
      .replaceAll(pagePlaceholders.logsKept, `${retentionDays.technicalLogs} days`)
      .replace(/\s+/g, " ")
  );
}

function markupOf(Page: ComponentType): string {
  return renderToStaticMarkup(
    <Router ssrPath="/about">
      <Page />
    </Router>,
  );
}

const tables: readonly Record<string, unknown>[] = [
  legalFacts,
  mailDays,
  gdprArticles,
  retentionDays,
  sessionTimes,
  limits,
  product,
];
const originals = tables.map((table) => ({ ...table }));

afterEach(() => {
  for (const [index, table] of tables.entries()) Object.assign(table, originals[index]);
});

/**
 * Replaces every constant that is or contains a figure by one that nobody would write by hand.
 * @returns the new figures
 */
function disguise(): Set<string> {
  const figures = new Set<string>();
  let next = 40_003;
  for (const table of tables)
    for (const [name, value] of Object.entries(table)) {
      if (!/\d/.test(String(value))) continue;
      next += 10;
      figures.add(String(next));
      if (typeof value === "string") table[name] = `M${next}`;
      // Session times are constants in seconds, which the pages show in minutes or hours.
      else if (table === sessionTimes) table[name] = next * (name === "absoluteSeconds" ? 3600 : 60);
      else table[name] = next;
    }
  return figures;
}

describe.each(Object.entries(pages))("%s", (name, Page) => {
  test("has one h1, and each entry of its table of contents leads to a heading", () => {
    const markup = markupOf(Page);
    expect(markup.match(/<h1/g)).toHaveLength(1);
    const wanted = [...markup.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    const there = [...markup.matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
    expect(wanted.length).toBeGreaterThan(3);
    expect(there).toEqual(wanted);
    expect(new Set(there).size).toBe(there.length);
  });

  test("shows only figures that come from constants", () => {
    const before = wordsOf(Page).match(/\d+/g) ?? [];
    const figures = disguise();
    const shown = wordsOf(Page).match(/\d+/g) ?? [];
    expect(before.length).toBeGreaterThan(0);
    expect(shown.filter((figure) => !figures.has(figure))).toEqual([]);
  });

  test("writes no figure as a word", () => {
    const source = sources[`./${name}.tsx`];
    expect(source).toContain(`function ${name}`);
    const words =
      /\b(?:two|five|seven|ten|thirteen|thirty|sixty|ninety|hundred|thousand) (?:days?|hours?|minutes?|years?|euros?|dollars?)\b/i;
    expect(source).not.toMatch(words);
  });
});

test("a hard-coded figure would be found", () => {
  const Planted = () => <p>within 30 days</p>;
  const figures = disguise();
  expect((wordsOf(Planted).match(/\d+/g) ?? []).filter((figure) => !figures.has(figure))).toEqual(["30"]);
});

describe("the pages state the specification's facts", () => {
  test.each<[string, ComponentType, readonly string[]]>([
    [
      "About",
      AboutPage,
      ["Built in Lithuania", "Launched January 2025", "Version 1.0.24", "surveillance", "inbox", "identity", "freedom"],
    ],
    ["Privacy Policy", PrivacyPage, ["Technical logs 90 days", "at least 13 years", "E-mail logs 0", "two cookies"]],
    ["Terms of Service", TermsPage, ["at least 13 years", "capped at $0", "third-party forwarding provider"]],
    ["GDPR", GdprPage, ["answer within 30 days", "At the latest 30 days after", "90 days"]],
    [
      "Transparency Report",
      TransparencyPage,
      [
        "Government requests 0",
        "Breaches 0",
        "August 2026",
        "Deleted aliases within 30 days",
        "Account data after deletion within 90 days",
        "Security logs after 30 days",
        "third-party forwarding provider",
        "zero e-mail logs",
      ],
    ],
  ])("%s", (_, Page, facts) => {
    const words = wordsOf(Page).replace(/ ([,.])/g, "$1");
    for (const fact of facts) expect(words).toContain(fact);
  });
});

test("without a server the pages say that our own engine forwards, each sentence whole, so that a server can replace it", () => {
  const all = [...Object.values(pages), ClientsGuidePage, DocsPage, FeatureRow, MovingGuidePage, SmtpGuidePage];
  const markup = all.map(markupOf).join("");
  for (const [name, text] of Object.entries(forwardingTexts(null))) {
    const written = renderToStaticMarkup(text);
    expect(markup.includes(written), name).toBe(true);
  }
  expect(forwardingTexts("Some Provider").landingReply).toBe(replyWords.provider);
});
