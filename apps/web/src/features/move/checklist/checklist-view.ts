import type { ChecklistRowWire } from "@kauke/contract";
import { plural } from "../../../texts/plural.ts";

export const shownParts = ["open", "done", "all"] as const;
export type ShownPart = (typeof shownParts)[number];

export interface ChecklistChoice {
  part: ShownPart;
  query: string;
}

const isShown: Readonly<Record<ShownPart, (row: ChecklistRowWire) => boolean>> = {
  open: (row) => !row.done,
  done: (row) => row.done,
  all: () => true,
};

/** Rows to show, by site. @param kept shown although they no longer match: ticked since the filter was last changed */
export function shownRows(
  rows: readonly ChecklistRowWire[],
  { part, query }: ChecklistChoice,
  kept: ReadonlySet<string>,
): ChecklistRowWire[] {
  const needle = query.trim().toLowerCase();
  const matches = ({ site, oldAddress }: ChecklistRowWire) => `${site}\n${oldAddress}`.toLowerCase().includes(needle);
  return rows
    .filter((row) => (isShown[part](row) || kept.has(row.id)) && (needle === "" || matches(row)))
    .sort((a, b) => (a.site === b.site ? compare(a.oldAddress, b.oldAddress) : compare(a.site, b.site)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A site with two old addresses has two rows. */
const siteCount = (rows: readonly ChecklistRowWire[]): number =>
  new Set(rows.map(({ site }) => site.toLowerCase())).size;

/** Heading of the checklist, e.g. "Change your address at 84 sites". */
export function headingOf(rows: readonly ChecklistRowWire[], countText: (count: number) => string): string {
  const count = siteCount(rows);
  return plural(count, "Change your address at {count} site", "Change your address at {count} sites", {
    count: countText(count),
  });
}
