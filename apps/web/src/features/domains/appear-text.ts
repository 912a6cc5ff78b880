import { type AccountDomainWire, type AppearMode, limits } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

export const appearLabels: Readonly<Record<AppearMode, string>> = {
  off: t("None"),
  all: t("Every name"),
  prefixes: t("Chosen beginnings"),
};

/** @example readPrefixes(" Shop., news-  shop.") // ["shop.", "news-"] */
export function readPrefixes(typed: string): string[] {
  const parts = typed.toLowerCase().split(/[\s,;*]+/);
  return [...new Set(parts.filter((part) => part !== ""))];
}

export const prefixesText = (prefixes: readonly string[]): string => prefixes.join(", ");

type Rules = Pick<AccountDomainWire, "appear" | "prefixes">;

/** What the rules come to, for the line that is always shown. */
export function appearText({ appear, prefixes }: Rules): string {
  if (appear === "off") return t("Off: mail to unknown names is refused.");
  if (appear === "all") return t("The first mail to any name makes an alias.");
  return t("The first mail to a name with one of these beginnings makes an alias: {prefixes}", {
    prefixes: prefixesText(prefixes),
  });
}

/** Two names that the prefixes match, and one that they don't. */
export function exampleNames(prefixes: readonly string[]): { matching: string[]; other: string } | null {
  const [first, second = first] = prefixes;
  if (first === undefined || second === undefined) return null;
  const matching = [`${first}shoes`, `${second}2026`].map((name) => name.slice(0, limits.aliasNameMax));
  const others = ["hello", "q7x2m", "zebra.9"];
  const other = others.find((name) => !prefixes.some((prefix) => name.startsWith(prefix)));
  return { matching: [...new Set(matching)], other: other ?? "_" };
}
