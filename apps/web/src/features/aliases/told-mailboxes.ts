/** Which row of the table says in words that a mailbox is not confirmed: the first that shows it; the others have a dot. Pure. */
import type { AliasWire } from "@kauke/contract";
import { entriesOf, isActive } from "./alias-text.ts";

type Row = Pick<AliasWire, "id" | "active" | "forwardTo" | "unconfirmed">;

/** By alias id the addresses told there, with spaces between them: one text, so that rows that stay the same are not drawn again. */
export function toldMailboxes(rows: readonly Row[]): ReadonlyMap<string, string> {
  const seen = new Set<string>();
  const told = new Map<string, string>();
  for (const row of rows) {
    const open = new Set((row.unconfirmed ?? []).map(({ address }) => address));
    const shown = isActive(row) ? entriesOf(row.forwardTo).filter((entry) => open.has(entry)) : [];
    const first = shown.filter((entry) => !seen.has(entry.toLowerCase()));
    for (const entry of first) seen.add(entry.toLowerCase());
    if (first.length > 0) told.set(row.id, first.join(" "));
  }
  return told;
}
