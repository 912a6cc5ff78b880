/**
 * Ctrl-K, or Cmd-K on a Mac, opens and closes the command palette, whose code is loaded when it is opened for the first
 * time.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from "react";
import {
  closePalette,
  isMac,
  isPaletteOpen,
  openPalette,
  subscribeToPalette,
} from "../../features/palette/palette-store.ts";
import { usePart } from "../../ui/use-part.tsx";
import { PaletteStart } from "./PaletteStart.tsx";

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

export function PaletteKeys() {
  const isOpen = useSyncExternalStore(subscribeToPalette, isPaletteOpen);
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
