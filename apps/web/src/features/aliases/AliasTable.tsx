/** The table of one page of aliases, and its skeleton while they load. */
import type { AliasWire } from "@kauke/contract";
import { type CSSProperties, useCallback, useMemo, useState } from "react";
import { AliasEditRow } from "./AliasEditRow.tsx";
import { AliasRow } from "./AliasRow.tsx";
import { describedMailboxes } from "./described-mailboxes.ts";
import type { LabelsById } from "./list-view.ts";
import { PickBox } from "./PickBox.tsx";
import { nextRowKeys, noRowKeys, type RowKeys } from "./row-keys.ts";
import type { Picking } from "./use-picking.ts";

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

export function AliasTable({ userId, aliases, query, labels, picking, onDelete }: Props) {
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
              <AliasRow
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
