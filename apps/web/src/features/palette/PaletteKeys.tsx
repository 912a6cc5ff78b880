/**
 * Ctrl-K, or Cmd-K on a Mac, opens and closes the command palette, whose code is loaded when it is opened for the first
 * time.
 */

import { Search } from "lucide-react";
import {
  type ComponentType,
  type KeyboardEvent as ReactKeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { closePanel, openPanel } from "../../ui/Dialog.tsx";
import { verbatim } from "../../ui/Field.tsx";
import { PartFailed, usePart } from "../../ui/use-part.tsx";
import { beginEarly, endEarly, typeEarly } from "./early-keys.ts";
import { closePalette, isMac, isPaletteOpen, openPalette, usePaletteOpen } from "./palette-store.ts";

/**
 * The command palette's field while the palette's code is loading: it takes the focus and the keys at once, so that
 * nothing typed goes into the page below. Enter does nothing yet; the text is handed on to the palette.
 */
function PaletteStart({ hasFailed }: { hasFailed: boolean }) {
  const [opener] = useState(() => document.activeElement);
  const scrim = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = scrim.current;
    if (own === null) return;
    beginEarly(opener);
    openPanel(own);
    return () => {
      closePanel(own);
      if (!isPaletteOpen()) endEarly()?.focus({ preventScroll: true });
    };
  }, [opener]);
  const onKeyDown = (event: ReactKeyboardEvent) => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) closePalette();
    if (event.key === "Tab" && !hasFailed) event.preventDefault();
  };
  return createPortal(
    <div
      className="scrim scrim-palette"
      role="presentation"
      ref={scrim}
      onPointerDown={(event) => event.target === scrim.current && closePalette()}
    >
      <div className="dialog palette" role="dialog" aria-modal="true" aria-label="Commands">
        <div className="palette-field">
          <Search className="i i-20" aria-hidden />
          <input
            className="input"
            aria-label="Alias or command"
            placeholder="Jump to an alias, or type a command"
            {...verbatim}
            // Opened by a key press, after which the user types on
            autoFocus
            onChange={(event) => typeEarly(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        {hasFailed ? (
          <div className="p-3">
            <PartFailed what="The list of commands" />
          </div>
        ) : (
          <p className="palette-state" role="status">
            <span className="spin" aria-hidden="true" /> Loading...
          </p>
        )}
      </div>
    </div>,
    document.body,
  );
}

let loaded: ComponentType | undefined;

async function load(): Promise<ComponentType> {
  const [{ withQueries }, { CommandPalette }] = await Promise.all([
    import("../../app/with-queries.tsx"),
    import("./CommandPalette.tsx"),
  ]);
  // Always return the same component: React would unmount the palette and mount another one.
  loaded ??= withQueries(CommandPalette);
  return loaded;
}

/** Whether the keys are Ctrl-K, or Cmd-K on a Mac, where Ctrl-K deletes to the end of a text field's line. */
const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === "k" && !altKey && !shiftKey && (isMac() ? metaKey : ctrlKey);

export function PaletteKeys() {
  const isOpen = usePaletteOpen();
  const { part, hasFailed } = usePart(isOpen, load);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) || event.isComposing) return;
      event.preventDefault();
      if (event.repeat) return;
      if (isPaletteOpen()) closePalette();
      else openPalette();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      closePalette();
    };
  }, []);
  if (!isOpen) return null;
  return part === null ? <PaletteStart hasFailed={hasFailed} /> : <part.component />;
}
