/** Loads what opens the command palette once somebody is signed in; until then the browser's own Ctrl-K works. */
import { useLate } from "../../ui/use-late.ts";

const load = async () => (await import("./PaletteKeys.tsx")).PaletteKeys;

export function LazyPalette() {
  const keys = useLate(true, load);
  return keys === null ? null : <keys.component />;
}
