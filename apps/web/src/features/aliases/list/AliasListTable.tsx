/** The table of one page of aliases, and its skeleton while they load. */
import type { AliasWire } from "@kauke/contract";
import { type CSSProperties, useCallback, useMemo, useState } from "react";
import { entriesOf, isActive } from "../alias-text.ts";
import type { Picking } from "../bulk/use-picking.ts";
import { AliasEditRow } from "../row/AliasEditRow.tsx";
import { AliasListRow, PickBox } from "../row/AliasListRow.tsx";
import type { LabelsById } from "./list-view.ts";

/**
 * React keys of the rows of the alias table. A key press in the search replaces most rows; those of aliases that are no
 * longer found then show newly found ones, since changing the texts of a row takes a fraction of the time of a new one.
 * Pure.
 */

/** Key of each shown alias by its id. Keys are numbers in the order in which rows were first needed. */
type RowKeys = ReadonlyMap<string, number>;

export const noRowKeys: RowKeys = new Map();

/**
 * @param before keys of the rows shown until now; an alias that is still shown keeps its key
 * @param isReused whether other aliases get the keys that became free. Only after a search, when the focus is in the
 * search field: a focused row must never become that of another alias.
 */
export function nextRowKeys(before: RowKeys, aliasIds: readonly string[], isReused: boolean): RowKeys {
  const shown = new Set(aliasIds);
  const free = isReused ? [...before].filter(([id]) => !shown.has(id)).map(([, key]) => key) : [];
  let last = Math.max(-1, ...before.values());
  return new Map(aliasIds.map((id) => [id, before.get(id) ?? free.shift() ?? ++last]));
}

/**
 * Chooses the row of the alias table that describes an unconfirmed mailbox in words: the first that shows it. Further
 * rows show a dot. Pure.
 */

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

interface Props {
  userId: string;
  /** Aliases of one page. */
  aliases: readonly AliasWire[];
  /** Search text that found these aliases. */
  query: string;
  /** Labels of the account; `undefined` until they are loaded. */
  labels: LabelsById | undefined;
  picking: Picking;
  onDelete: (alias: AliasWire) => void;
}

/** Keys of the rows, computed again when the aliases or the search text change. */
function useRowKeys({ aliases, query }: Pick<Props, "aliases" | "query">): RowKeys {
  const [shown, setShown] = useState({ aliases: [] as readonly AliasWire[], query, keys: noRowKeys });
  if (shown.aliases === aliases && shown.query === query) return shown.keys;
  const ids = aliases.map((alias) => alias.id);
  const keys = nextRowKeys(shown.keys, ids, shown.query !== query);
  setShown({ aliases, query, keys });
  return keys;
}

export function AliasListTable({ userId, aliases, query, labels, picking, onDelete }: Props) {
  const keys = useRowKeys({ aliases, query });
  const [editing, setEditing] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const onPanel = useCallback((aliasId: string) => setOpen((before) => toggled(before, aliasId)), []);
  const onEdit = useCallback((aliasId: string) => setEditing(aliasId), []);
  const onClose = useCallback(() => {
    setEdited(editing);
    setEditing(undefined);
  }, [editing]);
  const described = useMemo(() => describedMailboxes(aliases), [aliases]);
  return (
    // Handles the list's selection keys (arrows, Ctrl-A, Escape) wherever in the list the focus is.
    <div role="presentation" onKeyDown={picking.onKeyDown}>
      {/* "Select all on this page" for windows narrower than 1024 px, where the table has no header row. */}
      <div className="pick-row">
        <PickPage aliases={aliases} picking={picking} />
        <span aria-hidden="true">Select all on this page</span>
      </div>
      <table className="aliases">
        <thead>
          <tr>
            <th scope="col" className="c-pick">
              <PickPage aliases={aliases} picking={picking} />
            </th>
            <th scope="col">Active</th>
            <th scope="col" className="w-[25%]">
              Alias
            </th>
            <th scope="col" className="w-[29%]">
              Forwards to
            </th>
            <th scope="col" className="c-notes">
              Notes
            </th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {aliases.map((alias) =>
            alias.id === editing ? (
              <AliasEditRow key={keys.get(alias.id)} userId={userId} alias={alias} onClose={onClose} />
            ) : (
              <AliasListRow
                key={keys.get(alias.id)}
                userId={userId}
                alias={alias}
                described={described.get(alias.id) ?? ""}
                focusEdit={alias.id === edited}
                isOpen={open.has(alias.id)}
                isPicked={picking.ids.has(alias.id)}
                labels={labels}
                onPick={picking.onPick}
                onPanel={onPanel}
                onEdit={onEdit}
                onDelete={onDelete}
              />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function PickPage({ aliases, picking: { ids, pickPage } }: Pick<Props, "aliases" | "picking">) {
  const count = aliases.filter(({ id }) => ids.has(id)).length;
  const checked = count === 0 ? false : count === aliases.length ? true : "mixed";
  return <PickBox label="Select all on this page" checked={checked} onClick={pickPage} />;
}

function toggled(open: ReadonlySet<string>, aliasId: string): ReadonlySet<string> {
  return open.has(aliasId) ? new Set([...open].filter((id) => id !== aliasId)) : new Set([...open, aliasId]);
}

const skeletonWidths = [
  [20, 18, 14],
  [16, 18, 22],
  [23, 26, 9],
];

function Skeleton({ ch }: { ch: number }) {
  return <span className="skel" style={{ "--w": `${ch}ch` } as CSSProperties} />;
}

/** Placeholder rows with bars as wide as typical content. */
export function AliasTableSkeleton() {
  return (
    <div role="status">
      <span className="sr">Loading...</span>
      <table className="aliases" aria-hidden="true">
        <tbody>
          {skeletonWidths.map(([address = 0, destination = 0, notes = 0]) => (
            <tr key={address}>
              <td className="c-pick">
                <span className="pick opacity-50" />
              </td>
              <td className="c-on">
                <span className="switch opacity-50" />
              </td>
              <td className="c-alias">
                <Skeleton ch={address} />
              </td>
              <td className="c-to">
                <Skeleton ch={destination} />
              </td>
              <td className="c-notes">
                <Skeleton ch={notes} />
              </td>
              <td className="actions">
                <Skeleton ch={9} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
