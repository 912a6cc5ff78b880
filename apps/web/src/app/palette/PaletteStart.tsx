/**
 * The command palette's field while the palette's code is loading: it takes the focus and the keys at once, so that
 * nothing typed goes into the page below. Enter does nothing yet; the text is handed on to the palette.
 */
import { Search } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { beginEarly, endEarly, typeEarly } from "../../features/palette/early-keys.ts";
import { closePalette, isPaletteOpen } from "../../features/palette/palette-store.ts";
import { closePanel, openPanel } from "../../ui/open-panels.ts";
import { PartFailed } from "../../ui/use-part.tsx";

export function PaletteStart({ hasFailed }: { hasFailed: boolean }) {
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
  const onKeyDown = (event: KeyboardEvent) => {
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
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
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
