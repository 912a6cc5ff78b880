import { useEffect, useRef, useState } from "react";
import { useAliases } from "../api/aliases.ts";
import { useUser } from "../api/session/session.ts";
import { DeleteAccountCard } from "../features/account/DeleteAccountCard.tsx";
import { CreateAliasSkeleton } from "../features/aliases/create/CreateAliasSkeleton.tsx";
import { AliasList } from "../features/aliases/list/AliasList.tsx";
import { OpenAlias } from "../features/aliases/panel/OpenAlias.tsx";
import { NoticesPanel } from "../features/notices/NoticesPanel.tsx";
import { t } from "../texts/texts.ts";
import { useLate } from "../ui/use-late.ts";
import { PartFailed, usePart } from "../ui/use-part.tsx";

const loadCreate = async () => (await import("../features/aliases/create/CreateAliasCard.tsx")).CreateAliasCard;
const loadSteps = async () => (await import("../features/first-run/FirstStepsStrip.tsx")).FirstStepsStrip;

const LISTED_WITHIN_MS = 2000;

/** Whether the list has come, or is late: until then, nothing may take a slow processor from it. */
function useIsListed(userId: string): boolean {
  const { isPending } = useAliases(userId);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LISTED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, []);
  return !isPending || isLate;
}

export function DashboardPage() {
  const user = useUser();
  const createCard = useRef<HTMLDivElement>(null);
  const isListed = useIsListed(user.id);
  const { part: create, hasFailed } = usePart(isListed, loadCreate);
  const hasSteps = user.hidesFirstSteps !== true;
  const steps = useLate(isListed && hasSteps, loadSteps);
  return (
    <div className="stack">
      <NoticesPanel />
      {steps === null ? (
        hasSteps && <div className="card first-steps" aria-hidden="true" />
      ) : (
        <steps.component userId={user.id} isHidden={!hasSteps} />
      )}
      {hasFailed ? <PartFailed what={t("The form for a new alias")} /> : null}
      <div ref={createCard} className="make-box">
        {create === null ? <CreateAliasSkeleton /> : <create.component userId={user.id} />}
      </div>
      <div className="list-and-panel">
        <AliasList userId={user.id} onCreate={() => createCard.current?.querySelector("input")?.focus()} />
        <OpenAlias userId={user.id} isReady={create !== null} />
      </div>
      <DeleteAccountCard />
    </div>
  );
}
