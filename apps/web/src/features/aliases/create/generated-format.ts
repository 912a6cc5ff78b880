import { type AliasFormat, nameEntropyBits } from "@kauke/contract";
import { t } from "../../../texts/texts.ts";

export const formatLabels: Readonly<Record<AliasFormat, string>> = {
  characters: t("Characters"),
  words: t("Words"),
  uuid: "UUID",
  site: t("Site name and characters"),
};

export const siteWanted = t("Enter the name of the site first, then generate");

/** @example hostOf("shop") // "shop.com" */
export const hostOf = (site: string): string => (/[.:/]/.test(site) ? site : `${site}.com`);

const steps: readonly [bits: number, text: string][] = [
  [30, "million"],
  [40, "billion"],
  [50, "trillion"],
  [60, "quadrillion"],
  [Number.POSITIVE_INFINITY, "quintillion"],
];

/** Odds of a guess, rounded down to a power of ten. @example chancesText("characters") // "1 in 4 quintillion" */
export function chancesText(format: AliasFormat): string {
  const bits = nameEntropyBits[format];
  if (bits >= 70) return t("1 in 10 to the power of {bits}", { bits: Math.floor(bits * Math.log10(2)) });
  const [, text] = steps.find(([limit]) => bits < limit) ?? steps[0] ?? [0, ""];
  const power = 6 + 3 * steps.findIndex(([, name]) => name === text);
  return t("1 in {floor} {text}", { floor: Math.floor(2 ** bits / 10 ** power), text });
}
