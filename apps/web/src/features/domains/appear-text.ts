import { type AccountDomainWire, type AppearMode, isAliasName, limits } from "@kauke/contract";
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

/** Names that the prefixes match, and one that they don't; `null` if no prefix can begin a name. */
export function exampleNames(prefixes: readonly string[]): { matching: string[]; other: string } | null {
  const ends = ["shoes", "2026"];
  const named = prefixes.map((prefix) => ends.map((end) => `${prefix}${end}`.slice(0, limits.aliasNameMax)));
  const [first, second = first] = named.filter((names) =>
    names.every((name) => /^[a-z0-9]/.test(name) && isAliasName(name)),
  );
  const matching = [first?.[0], second?.[1]].filter((name) => name !== undefined);
  if (matching.length === 0) return null;
  const others = ["hello", "q7x2m", "zebra.9"];
  const other = others.find((name) => !prefixes.some((prefix) => name.startsWith(prefix)));
  return { matching: [...new Set(matching)], other: other ?? "_" };
}
