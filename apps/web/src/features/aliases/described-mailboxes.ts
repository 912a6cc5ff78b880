/**
 * Chooses the row of the alias table that describes an unconfirmed mailbox in words: the first that shows it. Further
 * rows show a dot. Pure.
 */
import type { AliasWire } from "@kauke/contract";
import { entriesOf, isActive } from "./alias-text.ts";

type Row = Pick<AliasWire, "id" | "active" | "forwardTo" | "unconfirmed">;

/**
 * Addresses that each row describes, by alias id. They are joined with spaces, because a string that stays equal does
 * not re-render its row.
 */
export function describedMailboxes(rows: readonly Row[]): ReadonlyMap<string, string> {
  const seen = new Set<string>();
  const described = new Map<string, string>();
  for (const row of rows) {
    const open = new Set((row.unconfirmed ?? []).map(({ address }) => address));
    const shown = isActive(row) ? entriesOf(row.forwardTo).filter((entry) => open.has(entry)) : [];
    const first = shown.filter((entry) => !seen.has(entry.toLowerCase()));
    for (const entry of first) seen.add(entry.toLowerCase());
    if (first.length > 0) described.set(row.id, first.join(" "));
  }
  return described;
}
