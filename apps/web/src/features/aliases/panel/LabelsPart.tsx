/** Section of an alias' panel in which labels are chosen from those of the account, or created. */
import type { AliasWire } from "@kauke/contract";
import { useMemo, useState } from "react";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { messageOf } from "../../../api/api-error.ts";
import { useLabels } from "../../../api/labels.ts";
import { showFailure } from "../../../ui/toast-store.ts";
import { LabelChip, LabelChips } from "../labels/LabelChip.tsx";
import { NewLabelForm } from "../labels/LabelForm.tsx";
import { PanelPart } from "./EditedPart.tsx";

/** The alias' chosen labels, which include a choice still being saved, and the function that changes the choice. */
function useChosenLabels(alias: AliasWire) {
  const update = useUpdateAlias(alias.userId);
  const chosen = (update.isPending ? update.variables.body.labels : undefined) ?? alias.labels;
  const choose = (labels: string[]) => {
    if (update.isPending) return;
    update.mutate(
      { aliasId: alias.id, body: { labels } },
      { onError: (error) => showFailure("Update Failed", messageOf(error, "Failed to update alias")) },
    );
  };
  const toggle = (id: string) => choose(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return { chosen, toggle };
}

function LabelsFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="hint" role="alert">
      Your labels could not be loaded.{" "}
      <button type="button" className="link" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

export function LabelsPart({ alias }: { alias: AliasWire }) {
  const { data: labels, error, isFetching, refetch } = useLabels(true);
  const byId = useMemo(() => labels && new Map(labels.map((label) => [label.id, label])), [labels]);
  const { chosen, toggle } = useChosenLabels(alias);
  const [isOpen, setIsOpen] = useState(false);
  const button = (
    <button
      type="button"
      className="btn btn-quiet btn-sm"
      aria-expanded={isOpen}
      onClick={() => setIsOpen((before) => !before)}
    >
      {isOpen ? "Done" : "Change labels"}
    </button>
  );
  const isFailed = labels === undefined && error !== null && !isFetching;
  return (
    <PanelPart title="Labels" aside={labels === undefined ? null : button}>
      {isFailed ? <LabelsFailed onRetry={() => void refetch()} /> : null}
      {isOpen || isFailed ? null : <LabelChips ids={chosen} labels={byId} />}
      {isOpen || chosen.length > 0 || labels === undefined ? null : <p className="muted">No labels</p>}
      {isOpen && labels !== undefined ? (
        <div className="lab-edit">
          {labels.length === 0 ? null : (
            <fieldset className="lab-choice">
              <legend className="sr">Labels of this alias</legend>
              {labels.map((label) => (
                <label key={label.id}>
                  <input type="checkbox" checked={chosen.includes(label.id)} onChange={() => toggle(label.id)} />
                  <LabelChip label={label} />
                </label>
              ))}
            </fieldset>
          )}
          <NewLabelForm onMade={({ id }) => toggle(id)} />
        </div>
      ) : null}
    </PanelPart>
  );
}
