/** Rows above the toast, each with an Undo button for one act. Ctrl-Z or Cmd-Z undoes the newest, outside text fields. */
import { type CSSProperties, type FocusEvent, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { t } from "../texts/texts.ts";
import { countText } from "./text/count-text.ts";
import { useToast } from "./toast-store.ts";
import { holdUndo, readUndoRows, releaseUndo, UNDO_MS, type UndoRow, undo, useUndoRows } from "./undo-store.ts";

/** Maximum number of undo rows on the screen; a line says how many older ones there are. */
const SHOWN_MAX = 3;

const TEXT_FIELD =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=file])";

const isUndoKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === "z" && ctrlKey !== metaKey && !shiftKey && !altKey;

function useUndoKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isUndoKey(event) || event.isComposing || event.defaultPrevented || event.repeat) return;
      if (event.target instanceof Element && event.target.closest(TEXT_FIELD) !== null) return;
      const [newest] = readUndoRows();
      if (newest === undefined) return;
      event.preventDefault();
      void undo(newest.id);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Pixels that the toast takes at the bottom of the window. */
function useToastHeight(): number {
  const toast = useToast();
  const isShown = toast !== null;
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const place = isShown ? document.querySelector(".toasts") : null;
    if (place === null) return;
    const observer = new ResizeObserver(() => setHeight(place.getBoundingClientRect().height));
    observer.observe(place);
    return () => observer.disconnect();
  }, [isShown]);
  return isShown ? height : 0;
}

const leftOf = ({ until, heldMs }: UndoRow): number => heldMs ?? Math.max(0, until - Date.now());

function SecondsLeft({ row }: { row: UndoRow }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="left" aria-hidden="true">
      {Math.ceil(leftOf(row) / 1000)} s
    </span>
  );
}

function Row({ row, onUndo }: { row: UndoRow; onUndo: () => void }) {
  // The bar begins where the row's time is, also after a reload.
  const [begunMs] = useState(() => UNDO_MS - leftOf(row));
  const { id, title, description } = row;
  return (
    <div
      role="presentation"
      className="undo-row"
      data-held={row.heldMs === undefined ? undefined : ""}
      style={{ "--begun": `${-begunMs}ms` } as CSSProperties}
      onPointerEnter={() => holdUndo(id)}
      onPointerLeave={() => releaseUndo(id)}
      onFocus={() => holdUndo(id)}
      onBlur={() => releaseUndo(id)}
    >
      <div className="said">
        <p className="head">{title}</p>
        {description === undefined ? null : <p className="text">{description}</p>}
      </div>
      <SecondsLeft row={row} />
      <button type="button" className="btn btn-sm" aria-label={t("Undo: {title}", { title })} onClick={onUndo}>
        {t("Undo")}
      </button>
    </div>
  );
}

const spokenOf = ({ title, description }: UndoRow) =>
  t("{title}. Control Z undoes it.", { title: description === undefined ? title : `${title}: ${description}` });

/** Where the focus was before it came here; it returns there when the row that had it is gone. */
function useFocusReturn(rows: readonly UndoRow[]) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    const next = list.current?.querySelector<HTMLElement>("button") ?? null;
    const back = before.current?.isConnected ? before.current : document.querySelector<HTMLElement>("main");
    (next ?? back)?.focus({ preventScroll: true });
  });
  return {
    list,
    onFocus: ({ relatedTarget }: FocusEvent) => {
      hadFocus.current = true;
      if (relatedTarget instanceof HTMLElement && !list.current?.contains(relatedTarget))
        before.current = relatedTarget;
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null && !list.current?.contains(relatedTarget as Node)) hadFocus.current = false;
    },
    count: rows.length,
  };
}

export function UndoStack() {
  const rows = useUndoRows();
  const height = useToastHeight();
  const { list, onFocus, onBlur } = useFocusReturn(rows);
  useUndoKey();
  const [newest] = rows;
  const waiting = rows.length - SHOWN_MAX;
  return createPortal(
    <section className="undos" aria-label={t("Undo")} style={{ "--toast-height": `${height}px` } as CSSProperties}>
      <p className="sr" role="status">
        {newest === undefined ? null : <span key={newest.id}>{spokenOf(newest)}</span>}
      </p>
      {waiting > 0 ? <p className="more">{t("{waiting} more with Ctrl Z", { waiting: countText(waiting) })}</p> : null}
      <div role="presentation" onFocus={onFocus} onBlur={onBlur}>
        <ol ref={list}>
          {rows.slice(0, SHOWN_MAX).map((row) => (
            <li key={row.id}>
              <Row row={row} onUndo={() => void undo(row.id)} />
            </li>
          ))}
        </ol>
      </div>
    </section>,
    document.body,
  );
}
