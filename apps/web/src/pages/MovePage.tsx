import "../app/zod-jitless.ts";

import { useUser } from "../api/session/session.ts";
import { ChecklistCard } from "../features/move/checklist/ChecklistCard.tsx";
import { ImportCard } from "../features/move/import/ImportCard.tsx";

export function MovePage() {
  const user = useUser();
  return (
    <div className="stack">
      <ImportCard userId={user.id} />
      <ChecklistCard userId={user.id} />
    </div>
  );
}
