/**
 * Ctrl-K, or Cmd-K on a Mac, opens and closes the command palette, whose code is loaded when it is opened for the first
 * time.
 */
import { type ComponentType, useEffect } from "react";
import { closePalette, isMac, togglePalette, usePaletteOpen } from "../../features/palette/palette-store.ts";
import { useLate } from "../../ui/use-late.ts";

let loaded: ComponentType | undefined;

async function load(): Promise<ComponentType> {
  const [{ withQueries }, { CommandPalette }] = await Promise.all([
    import("../with-queries.tsx"),
    import("../../features/palette/CommandPalette.tsx"),
  ]);
  // Always return the same component: React would unmount the palette and mount another one.
  loaded ??= withQueries(CommandPalette);
  return loaded;
}

/** Whether the keys are Ctrl-K, or Cmd-K on a Mac, where Ctrl-K deletes to the end of a text field's line. */
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
