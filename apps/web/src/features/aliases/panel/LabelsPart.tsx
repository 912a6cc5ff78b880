import type { AliasWire } from "@kauke/contract";
import { Check, Plus } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useLabels } from "../../../api/labels.ts";
import { t } from "../../../texts/texts.ts";
import { failureOf, TryAgain } from "../../../ui/LoadFailed.tsx";
import { LabelChip, LabelChips } from "../labels/LabelChip.tsx";
import { NewLabelForm } from "../labels/LabelForm.tsx";
import { useSaveAlias } from "../row/AliasSettings.tsx";
import { PanelFact } from "./PanelFacts.tsx";
import { setLabelling, usePanelState } from "./panel-state.ts";

/** Chosen labels, including choices that are still being saved. */
function useChosenLabels(alias: AliasWire) {
  const { save, pending } = useSaveAlias(alias, t("Labels Changed"));
  const chosen = pending?.labels ?? alias.labels;
  const toggle = (id: string) =>
    save({ labels: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id] });
  return { chosen, toggle };
}

const focusFirst = (choice: HTMLElement | null): void => choice?.querySelector("input")?.focus();

export function LabelsPart({ alias }: { alias: AliasWire }) {
  const query = useLabels(true);
  const labels = query.data;
  const byId = useMemo(() => labels && new Map(labels.map((label) => [label.id, label])), [labels]);
  const { chosen, toggle } = useChosenLabels(alias);
  const { labelling } = usePanelState();
  const isOpen = labelling?.aliasId === alias.id;
  useEffect(() => () => setLabelling(null), []);
  const isFailed = failureOf(query) !== null;
  const button =
    labels === undefined ? null : (
      <button
        type="button"
        className="add"
        aria-label={isOpen ? t("Done: labels") : t("Add or change labels")}
        aria-expanded={isOpen}
        onClick={() => setLabelling(isOpen ? null : { aliasId: alias.id, isCalled: false })}
      >
        {isOpen ? <Check className="i" aria-hidden /> : <Plus className="i" aria-hidden />}
        {isOpen ? t("Done") : t("Add")}
      </button>
    );
  return (
    <PanelFact title={t("Labels")}>
      {isFailed ? (
        <p className="hint" role="alert">
          {t("Your labels could not be loaded.")} <TryAgain onClick={query.refetch} />
        </p>
      ) : null}
      <div className="line">
        {isOpen || isFailed ? null : <LabelChips ids={chosen} labels={byId} />}
        {button}
      </div>
      {isOpen && labels !== undefined ? (
        <div className="lab-edit" ref={labelling.isCalled ? focusFirst : null}>
          {labels.length === 0 ? null : (
            <fieldset className="lab-choice">
              <legend className="sr">{t("Labels of this alias")}</legend>
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
    </PanelFact>
  );
}
