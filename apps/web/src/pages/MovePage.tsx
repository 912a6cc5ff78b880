import "../app/zod-jitless.ts";

import { useDomains } from "../api/aliases.ts";
import { useChecklist } from "../api/checklist.ts";
import { useImports } from "../api/imports.ts";
import { useUser } from "../api/session/session.ts";
import { ChecklistCard } from "../features/move/checklist/ChecklistCard.tsx";
import { ImportCard } from "../features/move/import/ImportCard.tsx";

export function MovePage() {
  const user = useUser();
  const [imports, domains] = [useImports(), useDomains()];
  // Asked for at once, and shown when the card above has its height, so that it does not move.
  useChecklist();
  return (
    <div className="stack move">
      <ImportCard userId={user.id} />
      {imports.isPending || domains.isPending ? null : <ChecklistCard userId={user.id} />}
    </div>
  );
}
