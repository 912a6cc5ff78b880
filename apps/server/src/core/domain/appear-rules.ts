/** Which names of an own domain the first mail to them makes aliases. Pure. */
import { type AppearMode, isAliasName, limits } from "@kauke/contract";
import { findReservedOnOwnDomain } from "@kauke/contract/reserved-names";

export interface AppearRules {
  appear: AppearMode;
  /** Lower case. */
  prefixes: readonly string[];
  /** Names that are never made, in lower case. */
  neverNames: readonly string[];
}

export const noneAppear: AppearRules = { appear: "off", prefixes: [], neverNames: [] };

/** @param name local part without a tag; takes time linear in its length and in the number of prefixes */
export function mayAppear(name: string, { appear, prefixes }: AppearRules, never: ReadonlySet<string>): boolean {
  if (appear === "off" || !isAliasName(name)) return false;
  const lower = name.toLowerCase();
  if (never.has(lower) || findReservedOnOwnDomain(lower) !== null) return false;
  return appear === "all" || prefixes.some((prefix) => lower.startsWith(prefix));
}

/** @returns `full` if the list has as many names as it may have */
export function withNever(rules: AppearRules, name: string): AppearRules | "full" {
  const lower = name.toLowerCase();
  if (rules.neverNames.includes(lower)) return rules;
  if (rules.neverNames.length >= limits.neverNamesMax) return "full";
  return { ...rules, neverNames: [...rules.neverNames, lower] };
}
