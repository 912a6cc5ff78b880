import type { AliasWire, BulkAliasChange, LabelWire } from "@kauke/contract";
import { type FormEvent, useId, useState } from "react";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Dialog, DialogFooter } from "../../../ui/Dialog.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { LabelChip } from "../labels/LabelChip.tsx";
import { NewLabelForm } from "../labels/LabelForm.tsx";

interface Props {
  isAdding: boolean;
  picked: readonly AliasWire[];
  labels: readonly LabelWire[] | undefined;
  onChange: (change: BulkAliasChange, said: string) => void;
  onClose: () => void;
}

const titleOf = (isAdding: boolean, count: number): string =>
  isAdding
    ? plural(count, "Label {count} alias", "Label {count} aliases", { count: countText(count) })
    : plural(count, "Remove a label from {count} alias", "Remove a label from {count} aliases", {
        count: countText(count),
      });

export function BulkLabelDialog({ isAdding, picked, labels, onChange, onClose }: Props) {
  const formId = useId();
  const used = new Set(picked.flatMap((alias) => alias.labels));
  const offered = (labels ?? []).filter(({ id }) => isAdding || used.has(id));
  const [wanted, setWanted] = useState<string>();
  const chosen = wanted ?? offered[0]?.id;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen === undefined) return;
    if (isAdding) onChange({ addLabel: chosen }, t("Label Added"));
    else onChange({ removeLabel: chosen }, t("Label Removed"));
    onClose();
  };
  return (
    <Dialog
      title={titleOf(isAdding, picked.length)}
      description={isAdding ? t("Labels that they have already stay.") : t("The label itself stays.")}
      onClose={onClose}
    >
      {offered.length === 0 ? null : (
        <form id={formId} className="body" onSubmit={onSubmit}>
          <fieldset className="lab-choice">
            <legend className="sr">{t("Label")}</legend>
            {offered.map((label, index) => (
              <label key={label.id}>
                <input
                  type="radio"
                  name="label"
                  value={label.id}
                  autoFocus={index === 0}
                  checked={chosen === label.id}
                  onChange={() => setWanted(label.id)}
                />
                <LabelChip label={label} />
              </label>
            ))}
          </fieldset>
        </form>
      )}
      {isAdding && labels !== undefined ? (
        <div className="body">
          <NewLabelForm onMade={({ id }) => setWanted(id)} isQuiet={offered.length > 0} />
        </div>
      ) : null}
      <DialogFooter onCancel={onClose}>
        <button type="submit" form={formId} className="btn btn-primary" disabled={chosen === undefined}>
          {isAdding ? t("Add Label") : t("Remove Label")}
        </button>
      </DialogFooter>
    </Dialog>
  );
}
