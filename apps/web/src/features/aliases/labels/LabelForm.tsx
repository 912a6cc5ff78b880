import { createLabelBody, type LabelColour, type LabelWire, labelColours, limits } from "@kauke/contract";
import { type FormEvent, type RefObject, useId, useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { messageOf } from "../../../api/error-text.ts";
import { useLabelCalls } from "../../../api/labels.ts";
import { t } from "../../../texts/texts.ts";
import { Button, Select } from "../../../ui/Controls.tsx";
import { TextField } from "../../../ui/Field.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { showFailure } from "../../../ui/toast-store.ts";
import { LabelMark } from "./LabelChip.tsx";

const colourNames: Record<LabelColour, string> = {
  grey: t("Grey"),
  red: t("Red"),
  orange: t("Orange"),
  olive: t("Olive"),
  green: t("Green"),
  teal: t("Teal"),
  blue: t("Blue"),
  violet: t("Violet"),
};

interface Fields {
  name: string;
  colour: LabelColour;
}

/** @param save rejects with the server's reason */
function useLabelForm(first: Fields, save: (fields: Fields) => Promise<void>) {
  const [fields, setFields] = useState(first);
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const change = (part: Partial<Fields>) => {
    setFields((before) => ({ ...before, ...part }));
    setError(undefined);
  };
  const refuse = (message: string | undefined) => {
    setError(message);
    input.current?.focus();
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    const read = createLabelBody.safeParse(fields);
    if (!read.success) return refuse(read.error.issues[0]?.message);
    setSaving(true);
    try {
      await save(read.data);
      setFields({ ...read.data, name: "" });
    } catch (failure) {
      const message = failure instanceof ApiError ? failure.errors?.name?.[0] : undefined;
      if (message === undefined) showFailure(t("Label Not Saved"), messageOf(failure, t("Failed to save the label")));
      else refuse(message);
    } finally {
      setSaving(false);
    }
  };
  return { input, form: { fields, change, error }, isSaving, onSubmit: (event: FormEvent) => void onSubmit(event) };
}

interface FieldsProps {
  form: ReturnType<typeof useLabelForm>["form"];
  input: RefObject<HTMLInputElement | null>;
  label: string;
  takesFocus?: boolean;
}

function LabelFields({ form, input, label, takesFocus }: FieldsProps) {
  const id = useId();
  return (
    <>
      <TextField
        label={label}
        ref={input}
        autoFocus={takesFocus}
        maxLength={limits.labelNameMax}
        autoComplete="off"
        value={form.fields.name}
        error={form.error}
        onChange={(event) => form.change({ name: event.target.value })}
      />
      <div className="field">
        <label htmlFor={id}>{t("Colour")}</label>
        <span className="lab-colour">
          <LabelMark colour={form.fields.colour} />
          <Select
            id={id}
            value={form.fields.colour}
            options={labelColours.map((colour) => [colour, colourNames[colour]])}
            onChange={({ target }) =>
              form.change({ colour: labelColours.find((colour) => colour === target.value) ?? "grey" })
            }
          />
        </span>
      </div>
    </>
  );
}

interface NewProps {
  onMade?: (label: LabelWire) => void;
  /** The form's button looks secondary beside the dialog's own main button. */
  isQuiet?: boolean;
}

export function NewLabelForm({ onMade, isQuiet = true }: NewProps) {
  const { create } = useLabelCalls();
  const [said, setSaid] = useState("");
  const { form, input, isSaving, onSubmit } = useLabelForm({ name: "", colour: "teal" }, async (fields) => {
    const label = await create(fields);
    setSaid(t("Label {name} created", { name: label.name }));
    onMade?.(label);
  });
  return (
    <form className="lab-form" noValidate onSubmit={onSubmit}>
      <LabelFields form={form} input={input} label={t("New label")} />
      <SubmitButton className={isQuiet ? "" : "btn-ink"} pending={isSaving} pendingLabel={t("Creating...")}>
        {t("Create Label")}
      </SubmitButton>
      <span className="sr" role="status">
        {said}
      </span>
    </form>
  );
}

export function EditLabelForm({ label, onDone }: { label: LabelWire; onDone: () => void }) {
  const calls = useLabelCalls();
  const { form, input, isSaving, onSubmit } = useLabelForm(label, async ({ name, colour }) => {
    await calls.change(label.id, { name, colour });
    onDone();
  });
  return (
    <form className="lab-form" noValidate onSubmit={onSubmit}>
      <LabelFields form={form} input={input} label={t("Name")} takesFocus />
      <div className="acts">
        <Button look="quiet" onClick={onDone}>
          {t("Cancel")}
        </Button>
        <SubmitButton className="btn-ink" pending={isSaving} pendingLabel={t("Saving...")}>
          {t("Save")}
        </SubmitButton>
      </div>
    </form>
  );
}
