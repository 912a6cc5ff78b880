import "../app/zod-jitless.ts";

import { useRef } from "react";
import { useUser } from "../api/session/session.ts";
import { DeleteAccountCard } from "../features/account/DeleteAccountCard.tsx";
import { CreateAliasCard } from "../features/aliases/create/CreateAliasCard.tsx";
import { AliasList } from "../features/aliases/list/AliasList.tsx";
import { OpenAlias } from "../features/aliases/panel/OpenAlias.tsx";
import { FirstStepsStrip } from "../features/first-run/FirstStepsStrip.tsx";
import { NoticesPanel } from "../features/notices/NoticesPanel.tsx";

export function DashboardPage() {
  const user = useUser();
  const createCard = useRef<HTMLDivElement>(null);
  return (
    <div className="stack">
      <NoticesPanel />
      <FirstStepsStrip userId={user.id} isHidden={user.hidesFirstSteps === true} />
      <div ref={createCard} className="make-box">
        <CreateAliasCard userId={user.id} />
      </div>
      <div className="list-and-panel">
        <AliasList userId={user.id} onCreate={() => createCard.current?.querySelector("input")?.focus()} />
        <OpenAlias userId={user.id} />
      </div>
      <DeleteAccountCard />
    </div>
  );
}
