/** If a part's code can't be loaded (offline, or replaced by an update), a note offers a reload; loading is retried. */
import { TriangleAlert } from "lucide-react";
import { type ComponentType, useState } from "react";
import { t } from "../texts/texts.ts";
import { useLate } from "./use-late.ts";

interface Part<Props> {
  part: { component: ComponentType<Props> } | null;
  hasFailed: boolean;
}

/** @param load must be a stable function */
export function usePart<Props>(wanted: boolean, load: () => Promise<ComponentType<Props>>): Part<Props> {
  const [hasFailed, setHasFailed] = useState(false);
  const part = useLate(wanted, load, setHasFailed);
  return { part, hasFailed: part === null && hasFailed };
}

interface Props {
  /** Name of the part, e.g. `The alias`. */
  what: string;
  /** Whether a reload loses nothing, so that the note may offer one. */
  canReload?: boolean;
}

/** Scrolls to the note: the press may have been far below it. */
function show(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: "nearest" });
}

export function PartFailed({ what, canReload = true }: Props) {
  return (
    <div className="note" role="alert" ref={show}>
      <TriangleAlert className="i" aria-hidden />
      <div className="min-w-0">
        <b>{t("{what} could not be loaded.", { what })}</b>
        <br />
        {t("Either there is no connection, or this site was updated.")}{" "}
        {canReload ? (
          <button type="button" className="link" onClick={() => window.location.reload()}>
            {t("Reload the page")}
          </button>
        ) : null}
      </div>
    </div>
  );
}
