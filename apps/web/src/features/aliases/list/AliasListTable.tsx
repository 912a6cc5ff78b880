import type { AliasWire } from "@kauke/contract";
import { type CSSProperties, useCallback, useMemo, useState } from "react";
import { entriesOf, isActive } from "../alias-text.ts";
import type { Picking } from "../bulk/use-picking.ts";
import { AliasEditRow } from "../row/AliasEditRow.tsx";
import { AliasListRow, PickBox } from "../row/AliasListRow.tsx";
import type { LabelsById } from "./list-view.ts";

/** React keys of rows, numbered in the order in which rows were first needed. */
type RowKeys = ReadonlyMap<string, number>;

export const noRowKeys: RowKeys = new Map();

/**
 * After a search, new aliases reuse the rows of vanished ones (far cheaper).
 * @param isReused only while the search field has the focus, so that no focused row changes its alias
 */
export function nextRowKeys(before: RowKeys, aliasIds: readonly string[], isReused: boolean): RowKeys {
  const shown = new Set(aliasIds);
  const free = isReused ? [...before].filter(([id]) => !shown.has(id)).map(([, key]) => key) : [];
  let last = Math.max(-1, ...before.values());
  return new Map(aliasIds.map((id) => [id, before.get(id) ?? free.shift() ?? ++last]));
}

type Row = Pick<AliasWire, "id" | "active" | "forwardTo" | "unconfirmed">;

/** Only the first row of an unconfirmed mailbox says so in words. A joined string keeps rows from rendering again. */
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
  aliases: readonly AliasWire[];
  query: string;
  labels: LabelsById | undefined;
  picking: Picking;
  onDelete: (alias: AliasWire) => void;
}

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
    // Selection keys work wherever in the list the focus is.
    <div role="presentation" onKeyDown={picking.onKeyDown}>
      {/* Narrow windows (below 1024 px) have no header row. */}
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
