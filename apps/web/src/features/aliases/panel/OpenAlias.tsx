/** The alias panel's code loads with the first panel, or before it when the page has settled. */
import { Info, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useAliases } from "../../../api/aliases.ts";
import { rich, t } from "../../../texts/texts.ts";
import { IconButton } from "../../../ui/Controls.tsx";
import { PartFailed, usePart } from "../../../ui/use-part.tsx";
import { closeAlias, useOpenAliasId } from "../alias-location.ts";

const load = async () => (await import("./AliasPanel.tsx")).AliasPanel;

/** Shown when no alias has the id in the address bar. */
function UnknownAlias() {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In newer browsers scrollIntoView returns a promise, which no effect may return.
    note.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const onDismiss = () => {
    closeAlias();
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  };
  return (
    <div className="note note-plain notice" role="alert" ref={note}>
      <Info className="i" aria-hidden />
      <div className="min-w-0 flex-1">
        {rich(
          "<b>Alias not found</b>{br}It may have been deleted, or the link is of another account. Your aliases are below.",
          { br: <br />, b: (inner) => <b>{inner}</b> },
        )}
      </div>
      <IconButton icon={X} label={t("Dismiss")} fullLabel={t("Dismiss: Alias not found")} onClick={onDismiss} />
    </div>
  );
}

const SETTLED_MS = 500;

function useSettled(isReady: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isReady]);
  return isSettled;
}

/** @param isReady whether the page's own parts are shown */
export function OpenAlias({ userId, isReady }: { userId: string; isReady: boolean }) {
  const aliasId = useOpenAliasId();
  const isSettled = useSettled(isReady);
  const { part, hasFailed } = usePart(aliasId !== null || isSettled, load);
  const { data } = useAliases(userId);
  if (aliasId === null || data === undefined) return null;
  const alias = data.find(({ id }) => id === aliasId);
  if (alias === undefined) return <UnknownAlias />;
  if (hasFailed) return <PartFailed what={t("The panel of this alias")} />;
  return part === null ? null : <part.component alias={alias} />;
}
