/**
 * docs/specification.md and the catalogue of toasts that the browser tests cause agree: each row of section 8 names the
 * catalogue's entries that say every word the row quotes, or gives the reason why it has none, and each entry is named
 * by a row.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ToastName, toastCatalogue } from "../../e2e/any-page/toast-catalogue.ts";
import { repositoryRoot } from "../source-files.ts";

interface Row {
  said: string;
  tests: string;
}

function rowsOf(text: string, section: number): Row[] {
  const found = text.split(/^## /m).find((part) => part.startsWith(`${section}.`)) ?? "";
  return found.split("\n").flatMap((content) => {
    const [, said = "", , tests = "", state = ""] = content.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return state === "met" ? [{ said, tests }] : [];
  });
}

const entriesPattern = /`e2e\/any-page\/toast-catalogue\.ts`((?: “[^”]+”,?)+)/;
const reasonPattern = /\(no toast(?: of ‘([^’]+)’)?: [^)]+\)/;

function namedIn({ tests }: Row): string[] {
  return [...(entriesPattern.exec(tests)?.[1] ?? "").matchAll(/“([^”]+)”/g)].map(([, name]) => name as string);
}

/** Whether the toast says the quoted text; `{status}` in a quote matches any text. */
function isSaidBy(quote: string, name: ToastName): boolean {
  const parts = quote.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".+")}$`);
  const { title, text } = toastCatalogue[name];
  if (text instanceof RegExp) return pattern.test(title) || parts.every((part) => text.source.includes(part));
  return pattern.test(title) || (text !== null && pattern.test(text));
}

/** @returns what is wrong with a row of the specification's section 8, one sentence each; empty if nothing is */
function faultsOf(row: Row): string[] {
  const names = namedIn(row);
  const reason = reasonPattern.exec(row.tests);
  if (names.length === 0) return reason === null ? [`“${row.said}” names no toast, and doesn't say why`] : [];
  const unknown = names.filter((name) => !Object.hasOwn(toastCatalogue, name));
  if (unknown.length > 0) return unknown.map((name) => `“${name}” is in no catalogue`);
  const quotes = [...row.said.matchAll(/‘([^’]+)’/g)].map(([, quote]) => quote as string);
  return quotes
    .filter((quote) => quote !== reason?.[1] && !names.some((name) => isSaidBy(quote, name as ToastName)))
    .map((quote) => `no toast of “${row.said}” says ‘${quote}’`);
}

const text = readFileSync(join(repositoryRoot(), "docs/specification.md"), "utf8");

test("every row of section 8 names the toasts that say its words, or says why it has none", () => {
  const rows = rowsOf(text, 8);
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});

test("every toast of the catalogue is named by a row of section 4, 5 or 8", () => {
  const named = new Set([4, 5, 8].flatMap((section) => rowsOf(text, section)).flatMap(namedIn));
  expect(Object.keys(toastCatalogue).filter((name) => !named.has(name))).toEqual([]);
});

describe("control: how a row is compared with the catalogue", () => {
  const row = (said: string, tests: string): Row => ({ said, tests });
  const entry = "`e2e/any-page/toast-catalogue.ts` “toggle-failed”";
  test.each([
    ["words that the toast says", row("‘Toggle Failed’ (‘Failed to toggle alias’)", entry), 0],
    ["another title", row("‘Toggle Refused’ (‘Failed to toggle alias’)", entry), 1],
    ["another text", row("‘Toggle Failed’ (‘Failed to toggle it’)", entry), 1],
    ["no toast", row("‘Toggle Failed’", "`e2e/aliases/aliases.e2e.ts` “the switch”"), 1],
    ["a reason why it has no toast", row("‘Page Not Found’", "“a test” (no toast: it is a page)"), 0],
    [
      "a toast that the catalogue lacks",
      row("‘Toggle Failed’", "`e2e/any-page/toast-catalogue.ts` “no-such-toast”"),
      1,
    ],
  ])("a row with %s", (_, given, faults) => {
    expect(faultsOf(given)).toHaveLength(faults);
  });
});
