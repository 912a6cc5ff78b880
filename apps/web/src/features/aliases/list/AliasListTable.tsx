import type { AliasWire } from "@kauke/contract";
import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { t } from "../../../texts/texts.ts";
import { useLate } from "../../../ui/use-late.ts";
import { useMedia } from "../../../ui/use-media.ts";
import { closeAlias, openAlias, openAliasId, useOpenAliasId } from "../alias-location.ts";
import type { Picking } from "../bulk/use-picking.ts";
import { BESIDE, editInPanel, openAliasAt, usePanelState } from "../panel/panel-state.ts";
import { AliasListRow, PickBox } from "../row/AliasListRow.tsx";
import type { LabelsById } from "./list-view.ts";
import { useFocusBack, useRowFocus } from "./row-focus.ts";
import { takesText } from "./use-list-keys.ts";

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

/** What the list's keys do with the current row. */
export interface RowActs {
  move: (step: number) => void;
  pick: () => void;
  edit: () => void;
  remove: () => void;
}

interface Props {
  titleId: string;
  title: RefObject<HTMLElement | null>;
  aliases: readonly AliasWire[];
  query: string;
  labels: LabelsById | undefined;
  picking: Picking;
  /** Lower rows, from 25 on a page. */
  isDense: boolean;
  acts: RefObject<RowActs | null>;
  /** Turns to a page. @returns false if there is none */
  onTurn: (step: number) => boolean;
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

const loadEditRow = async () => (await import("../row/AliasEditRow.tsx")).AliasEditRow;

async function lastEditedOf(aliases: readonly AliasWire[]): Promise<string | null> {
  const { lastEdited } = await import("../row/alias-draft.ts");
  return await lastEdited(aliases.map(({ id }) => id));
}

/** One row at a time is edited; what was typed in another one stays its draft. */
function useEditedRow(aliases: readonly AliasWire[], isSplit: boolean) {
  const [editing, setEditing] = useState<{ id: string; isBegun: boolean }>();
  const [edited, setEdited] = useState<string>();
  const [shown] = useState(aliases);
  useEffect(() => {
    if (isSplit) return;
    void lastEditedOf(shown).then((id) => {
      if (id !== null) setEditing((before) => before ?? { id, isBegun: false });
    });
  }, [shown, isSplit]);
  const onEdit = useCallback((id: string) => {
    // A phone's rows have no room for fields, nor has a list beside the panel.
    if (matchMedia("(max-width: 47.99rem)").matches || (openAliasId() !== null && matchMedia(BESIDE).matches))
      return editInPanel(id, "forwardTo");
    setEditing({ id, isBegun: true });
  }, []);
  const onClose = useCallback(() => {
    setEdited(editing?.id);
    setEditing(undefined);
  }, [editing]);
  return { editing: isSplit ? undefined : editing, edited, onEdit, onClose };
}

function useOpened() {
  const openId = useOpenAliasId();
  const isSmtpOpen = usePanelState().folds.has("smtp");
  const openedOf = (id: string) => (id !== openId ? null : isSmtpOpen ? "smtp" : "panel");
  const latest = useRef({ openId, isSmtpOpen });
  useEffect(() => {
    latest.current = { openId, isSmtpOpen };
  });
  const onSmtp = useCallback((id: string) => {
    if (latest.current.openId === id && latest.current.isSmtpOpen) closeAlias();
    else openAliasAt(id, "smtp");
  }, []);
  return { openId, openedOf, onSmtp };
}

export function AliasListTable(props: Props) {
  const { titleId, title, aliases, query, labels, picking, isDense, acts, onTurn, onDelete } = props;
  const keys = useRowKeys({ aliases, query });
  const ids = useMemo(() => aliases.map(({ id }) => id), [aliases]);
  const [focus, body] = useRowFocus(ids);
  useFocusBack(title);
  const isBeside = useMedia(BESIDE);
  const { openId, openedOf, onSmtp } = useOpened();
  const isSplit = isBeside && openId !== null;
  const { editing, edited, onEdit, onClose } = useEditedRow(aliases, isSplit);
  // Loaded once the rows are shown, so that a row can be edited at once.
  const EditRow = useLate(true, loadEditRow)?.component;
  const step = (by: number) => {
    if (!focus.move(by)) {
      if (onTurn(by)) focus.turned(by);
      return;
    }
    const id = focus.currentId();
    if (isSplit && id !== null) openAlias(id);
  };
  const ofCurrent = (act: (alias: AliasWire) => void) => {
    const alias = aliases.find(({ id }) => id === focus.currentId());
    if (alias !== undefined) act(alias);
  };
  useImperativeHandle(acts, () => ({
    move: step,
    pick: () => ofCurrent(({ id }) => picking.onPick(id, false)),
    edit: () => ofCurrent(({ id }) => onEdit(id)),
    remove: () => ofCurrent(onDelete),
  }));
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || takesText(event.target) || event.defaultPrevented) {
      picking.onKeyDown(event);
      if (event.key === "Escape" && isSplit && !event.defaultPrevented && !takesText(event.target)) closeAlias();
      return;
    }
    const from = document.activeElement;
    if (from === null || from.closest("[data-row]") === null) return;
    event.preventDefault();
    step(by);
    if (event.shiftKey) picking.onArrow(from, document.activeElement);
  };
  return (
    // Selection keys work wherever in the list the focus is.
    <div role="presentation" onKeyDown={onKeyDown}>
      {/* Narrow windows (below 1024 px) have no header row. */}
      <div className="pick-row">
        <PickPage aliases={aliases} picking={picking} />
        <span aria-hidden="true">{t("Select all on this page")}</span>
      </div>
      <table
        className={`aliases${isDense ? " dense" : ""}${picking.picked.length > 0 ? " picking" : ""}`}
        aria-labelledby={titleId}
      >
        <thead>
          <tr>
            <th scope="col" className="c-pick">
              <PickPage aliases={aliases} picking={picking} />
            </th>
            <th scope="col" className="c-on">
              {t("Active")}
            </th>
            <th scope="col" className="c-alias">
              {t("Alias")}
            </th>
            <th scope="col" className="c-to">
              {t("Forwards to")}
            </th>
            <th scope="col" className="c-notes">
              {t("Notes")}
            </th>
            <th scope="col" className="actions">
              <span className="sr">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {aliases.map((alias) =>
            alias.id === editing?.id && EditRow !== undefined ? (
              <EditRow key={`edit-${alias.id}`} alias={alias} isBegun={editing.isBegun} onClose={onClose} />
            ) : (
              <AliasListRow
                key={keys.get(alias.id)}
                alias={alias}
                focusEdit={alias.id === edited}
                opened={openedOf(alias.id)}
                isPicked={picking.ids.has(alias.id)}
                labels={labels}
                onPick={picking.onPick}
                onSmtp={onSmtp}
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
  return <PickBox label={t("Select all on this page")} checked={checked} onClick={pickPage} />;
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
      <span className="sr">{t("Loading...")}</span>
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
