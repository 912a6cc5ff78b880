/** Shows both versions of each field that was changed here and elsewhere, and lets one choose. */
import { type FormEvent, useId, useState } from "react";
import { t } from "../../../texts/texts.ts";
import { FormDialog } from "../../../ui/Dialog.tsx";
import type { Conflict } from "./merge-edit.ts";

interface ChoiceProps {
  group: string;
  title: string;
  text: string;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ group, title, text, isChosen, onChoose }: ChoiceProps) {
  return (
    <label className="choice">
      <input type="radio" name={group} checked={isChosen} onChange={onChoose} />
      <span>
        {title}
        <span className="wrap-anywhere">{text === "" ? t("Empty") : text}</span>
      </span>
    </label>
  );
}

interface Props<Name extends string> {
  address: string;
  conflicts: readonly Conflict<Name>[];
  labels: Readonly<Record<Name, string>>;
  pending: boolean;
  /** Saves the chosen values. */
  onSave: (chosen: Readonly<Partial<Record<Name, string>>>) => void;
  /** Back to the edit, with everything that was typed. */
  onClose: () => void;
}

export function ConflictDialog<Name extends string>(props: Props<Name>) {
  const { address, conflicts, labels, pending, onSave, onClose } = props;
  const id = useId();
  const [theirs, setTheirs] = useState<ReadonlySet<Name>>(new Set());
  const choose = (field: Name, isTheirs: boolean) => {
    const next = new Set(theirs);
    if (isTheirs) next.add(field);
    else next.delete(field);
    setTheirs(next);
  };
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault();
    const chosen: Partial<Record<Name, string>> = {};
    for (const conflict of conflicts)
      chosen[conflict.field] = theirs.has(conflict.field) ? conflict.theirs : conflict.mine;
    onSave(chosen);
  };
  return (
    <FormDialog
      title={t("Changed elsewhere")}
      description={t("{address} was saved in another tab or on another device since you began. Choose what to keep.", {
        address,
      })}
      label={t("Save Alias")}
      pending={pending}
      onSubmit={handleSubmit}
      onClose={onClose}
    >
      {conflicts.map(({ field, theirs: saved, mine }) => (
        <fieldset key={field} className="choices scopes">
          <legend>{labels[field]}</legend>
          <Choice
            group={`${id}-${field}`}
            title={t("Yours")}
            text={mine}
            isChosen={!theirs.has(field)}
            onChoose={() => choose(field, false)}
          />
          <Choice
            group={`${id}-${field}`}
            title={t("Saved elsewhere")}
            text={saved}
            isChosen={theirs.has(field)}
            onChoose={() => choose(field, true)}
          />
        </fieldset>
      ))}
    </FormDialog>
  );
}
