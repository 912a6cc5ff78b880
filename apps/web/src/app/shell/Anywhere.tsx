/** What works on every page of a signed-in user. */
import { useEffect } from "react";
import { onUserChange } from "../../api/session/session.ts";
import { MarkedAliases } from "../../features/aliases/MarkedAliases.tsx";
import { DecryptAnywhere } from "../../features/decrypt/DecryptAnywhere.tsx";
import { PaletteKeys } from "../../features/palette/PaletteKeys.tsx";
import { UndoStack } from "../../ui/UndoStack.tsx";
import { clearUndo } from "../../ui/undo-store.ts";
import { registerWorker } from "../service-worker.ts";
import { withQueries } from "../with-queries.tsx";

// Not when the page is hidden under a sign-in: the same user can still undo what the lost session did.
onUserChange(clearUndo);

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
