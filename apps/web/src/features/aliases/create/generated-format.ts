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

interface Step {
  /** Names with fewer bits are spoken of in this unit. */
  bits: number;
  unit: number;
  text: (count: number) => string;
}

const steps: readonly Step[] = [
  { bits: 30, unit: 1e6, text: (count) => t("1 in {count} million", { count }) },
  { bits: 40, unit: 1e9, text: (count) => t("1 in {count} billion", { count }) },
  { bits: 50, unit: 1e12, text: (count) => t("1 in {count} trillion", { count }) },
  { bits: 60, unit: 1e15, text: (count) => t("1 in {count} quadrillion", { count }) },
  { bits: 70, unit: 1e18, text: (count) => t("1 in {count} quintillion", { count }) },
];

/** Odds of a guess, rounded down to a power of ten. @example chancesText("characters") // "1 in 4 quintillion" */
export function chancesText(format: AliasFormat): string {
  const bits = nameEntropyBits[format];
  const step = steps.find((known) => bits < known.bits);
  if (step === undefined) return t("1 in 10 to the power of {power}", { power: Math.floor(bits * Math.log10(2)) });
  return step.text(Math.floor(2 ** bits / step.unit));
}
