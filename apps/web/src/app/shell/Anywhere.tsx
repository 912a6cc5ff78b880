/** What works on every page of a signed-in user. */
import { useEffect } from "react";
import { MarkedAliases } from "../../features/aliases/MarkedAliases.tsx";
import { DecryptAnywhere } from "../../features/decrypt/DecryptAnywhere.tsx";
import { PaletteKeys } from "../../features/palette/PaletteKeys.tsx";
import { UndoStack } from "../../ui/UndoStack.tsx";
import { registerWorker } from "../service-worker.ts";
import { withQueries } from "../with-queries.tsx";

const Marked = withQueries(MarkedAliases);

export function Anywhere() {
  useEffect(registerWorker, []);
  return (
    <>
      <PaletteKeys />
      <DecryptAnywhere />
      <UndoStack />
      <Marked />
    </>
  );
}
