/** The inline edit of one alias: Enter saves, Escape cancels, the shared schema decides. */
import { type AliasWire, limits } from "@kauke/contract";
import { type InputHTMLAttributes, type KeyboardEvent, useId, useState } from "react";
import { useUpdateAlias } from "../../api/aliases.ts";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import { FieldError } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { AliasSwitch } from "./AliasRow.tsx";
import { addressOf, destinationText } from "./alias-text.ts";
import { type AliasEdit, type EditErrors, readEdit } from "./edit-body.ts";

interface EditInputProps extends InputHTMLAttributes<HTMLInputElement> {
  errorId: string;
  error: string | undefined;
}

function EditInput({ errorId, error, ...input }: EditInputProps) {
  return (
    <input
      {...input}
      autoComplete="off"
      spellCheck={false}
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? errorId : undefined}
    />
  );
}

function useEdit(userId: string, alias: AliasWire, onClose: () => void) {
  const [edit, setEdit] = useState<AliasEdit>({
    alias: alias.alias,
    forwardTo: destinationText(alias),
    notes: alias.notes ?? "",
  });
  const [errors, setErrors] = useState<EditErrors>({});
  const update = useUpdateAlias(userId);
  const onRefused = (error: Error) => {
    setErrors(Object.fromEntries(fieldMessages(error)));
    showFailure("Update Failed", messageOf(error, "Failed to update alias"));
  };
  const save = () => {
    if (update.isPending) return;
    const read = readEdit(edit, alias);
    if ("errors" in read) return setErrors(read.errors);
    setErrors({});
    update.mutate(
      { aliasId: alias.id, body: read.body },
      {
        onSuccess: (saved) => {
          showToast({ title: "Alias Updated", description: addressOf(saved) });
          onClose();
        },
        onError: onRefused,
      },
    );
  };
  const change = (field: keyof AliasEdit) => (event: { target: { value: string } }) => {
    setEdit({ ...edit, [field]: event.target.value });
    setErrors({ ...errors, [field]: undefined });
  };
  return { edit, errors, change, save, pending: update.isPending };
}

interface Props {
  userId: string;
  alias: AliasWire;
  onClose: () => void;
}

export function AliasEditRow({ userId, alias, onClose }: Props) {
  const id = useId();
  const { edit, errors, change, save, pending } = useEdit(userId, alias, onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onClose();
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) save();
  };
  return (
    <tr className="editing" onKeyDown={onKeyDown}>
      <td className="c-on">
        <AliasSwitch userId={userId} alias={alias} />
      </td>
      <td className="c-alias">
        <div className="pair">
          <EditInput
            className="input mono"
            aria-label="Alias name"
            // The person has just asked to edit
            autoFocus
            autoCapitalize="none"
            value={edit.alias}
            onChange={change("alias")}
            errorId={`${id}-alias`}
            error={errors.alias}
          />
          <span className="addr">@{alias.domain}</span>
        </div>
        <FieldError id={`${id}-alias`}>{errors.alias}</FieldError>
      </td>
      <td className="c-to">
        <EditInput
          className="input mono"
          aria-label="Forward to"
          autoCapitalize="none"
          value={edit.forwardTo}
          onChange={change("forwardTo")}
          errorId={`${id}-to`}
          error={errors.forwardTo}
        />
        <FieldError id={`${id}-to`}>{errors.forwardTo}</FieldError>
      </td>
      <td className="c-notes">
        <EditInput
          className="input"
          aria-label="Notes"
          placeholder="Notes"
          maxLength={limits.notesMax}
          value={edit.notes}
          onChange={change("notes")}
          errorId={`${id}-notes`}
          error={errors.notes}
        />
        <FieldError id={`${id}-notes`}>{errors.notes}</FieldError>
      </td>
      <td className="actions">
        <div className="keys">
          <button type="button" className="btn btn-quiet btn-sm" onClick={onClose}>
            Cancel <kbd aria-hidden="true">esc</kbd>
          </button>
          <SubmitButton
            type="button"
            className="btn-ink btn-sm"
            pending={pending}
            pendingLabel="Saving..."
            onClick={save}
          >
            Save <kbd aria-hidden="true">↵</kbd>
          </SubmitButton>
        </div>
      </td>
    </tr>
  );
}
