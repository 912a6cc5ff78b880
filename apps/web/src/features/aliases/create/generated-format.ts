import { type AliasFormat, nameEntropyBits } from "@kauke/contract";

export const formatLabels: Readonly<Record<AliasFormat, string>> = {
  characters: "Characters",
  words: "Words",
  uuid: "UUID",
  site: "Site name and characters",
};

export const siteWanted = "Enter the name of the site first, then generate";

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
  if (bits >= 70) return `1 in 10 to the power of ${Math.floor(bits * Math.log10(2))}`;
  const [, text] = steps.find(([limit]) => bits < limit) ?? steps[0] ?? [0, ""];
  const power = 6 + 3 * steps.findIndex(([, name]) => name === text);
  return `1 in ${Math.floor(2 ** bits / 10 ** power)} ${text}`;
}
