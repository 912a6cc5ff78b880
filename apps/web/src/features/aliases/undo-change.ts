/** The bulk change that restores what another one has changed. Pure. */
import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { isActive } from "./alias-text.ts";

export interface ManyChange {
  aliasIds: readonly string[];
  change: BulkAliasChange;
}

/**
 * @param aliases the aliases as they were before the change
 * @returns `null` if nothing was changed, or the destinations, which are not restored: each alias may have had others
 */
export function undoOf(
  aliases: readonly AliasWire[],
  { active, pinned, addLabel, removeLabel }: BulkAliasChange,
): ManyChange | null {
  const of = (change: BulkAliasChange, wasOther: (alias: AliasWire) => boolean): ManyChange | null => {
    const aliasIds = aliases.filter(wasOther).map(({ id }) => id);
    return aliasIds.length === 0 ? null : { aliasIds, change };
  };
  if (active !== undefined) return of({ active: !active }, (alias) => isActive(alias) !== active);
  if (pinned !== undefined) return of({ pinned: !pinned }, (alias) => alias.pinned !== pinned);
  if (addLabel !== undefined) return of({ removeLabel: addLabel }, ({ labels }) => !labels.includes(addLabel));
  if (removeLabel !== undefined) return of({ addLabel: removeLabel }, ({ labels }) => labels.includes(removeLabel));
  return null;
}
