/** Ctrl-K, or Cmd-K on a Mac, opens and closes the command palette, whose code is loaded the first time. */
import { type ComponentType, useEffect } from "react";
import { closePalette, isMac, togglePalette, usePaletteOpen } from "../../features/palette/palette-store.ts";
import { useLate } from "../../ui/use-late.ts";

let loaded: ComponentType | undefined;

async function load(): Promise<ComponentType> {
  const [{ withQueries }, { CommandPalette }] = await Promise.all([
    import("../with-queries.tsx"),
    import("../../features/palette/CommandPalette.tsx"),
  ]);
  // The same component each time: React would mount another one anew
  loaded ??= withQueries(CommandPalette);
  return loaded;
}

/** On a Mac Ctrl-K is a key of text fields: it deletes to the end of the line. */
const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === "k" && !altKey && !shiftKey && (isMac() ? metaKey : ctrlKey);

export function LazyPalette() {
  const isOpen = usePaletteOpen();
  const late = useLate(isOpen, load);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) || event.isComposing) return;
      event.preventDefault();
      if (!event.repeat) togglePalette();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      closePalette();
    };
  }, []);
  return isOpen && late !== null ? <late.component /> : null;
}
