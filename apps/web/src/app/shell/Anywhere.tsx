/** What works on every page of a signed-in user. */
import { MarkedAliases } from "../../features/aliases/MarkedAliases.tsx";
import { DecryptAnywhere } from "../../features/decrypt/DecryptAnywhere.tsx";
import { PaletteKeys } from "../../features/palette/PaletteKeys.tsx";
import { UndoStack } from "../../ui/UndoStack.tsx";
import { withQueries } from "../with-queries.tsx";

const Marked = withQueries(MarkedAliases);

export function Anywhere() {
  return (
    <>
      <PaletteKeys />
      <DecryptAnywhere />
      <UndoStack />
      <Marked />
    </>
  );
}
