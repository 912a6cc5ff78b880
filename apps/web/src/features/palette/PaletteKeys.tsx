/** Ctrl-K, or Cmd-K on a Mac, opens the command palette, whose code loads on first use. */
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
import { t } from "../../texts/texts.ts";
import { verbatim } from "../../ui/Field.tsx";
import { closePanel, openPanel, scrollbarPx } from "../../ui/panels.ts";
import { PartFailed, usePart } from "../../ui/use-part.tsx";
import { beginEarly, endEarly, readEarlyText, typeEarly } from "./early-keys.ts";
import { closePalette, isPaletteKey, isPaletteOpen, openPalette, usePaletteOpen } from "./palette-store.ts";

/** Takes the keys while the palette's code loads, so that none reach the page. The typed text is handed on. */
function PaletteStart({ hasFailed }: { hasFailed: boolean }) {
  const [{ opener, scrollbar, typed }] = useState(() => ({
    opener: document.activeElement,
    scrollbar: scrollbarPx(),
    typed: readEarlyText(),
  }));
  const scrim = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = scrim.current;
    if (own === null) return;
    beginEarly(opener, typed);
    openPanel(own, scrollbar);
    return () => {
      closePanel(own);
      if (!isPaletteOpen()) endEarly()?.focus({ preventScroll: true });
    };
  }, [opener, scrollbar, typed]);
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
      <div className="dialog palette" role="dialog" aria-modal="true" aria-label={t("Commands")}>
        <div className="palette-field">
          <Search className="i i-20" aria-hidden />
          <input
            className="input"
            aria-label={t("Alias or command")}
            placeholder={t("Jump to an alias, or type a command")}
            {...verbatim}
            // The palette was opened by a key, so the user types on.
            autoFocus
            defaultValue={typed}
            onChange={(event) => typeEarly(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        {hasFailed ? (
          <div className="p-3">
            <PartFailed what={t("The list of commands")} />
          </div>
        ) : (
          <p className="palette-state" role="status">
            <span className="spin" aria-hidden="true" /> {t("Loading...")}
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
  // Made once, because another component would remount the palette.
  loaded ??= withQueries(CommandPalette);
  return loaded;
}

export function PaletteKeys() {
  const isOpen = usePaletteOpen();
  const { part, hasFailed } = usePart(isOpen, load);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPaletteKey(event)) return;
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
