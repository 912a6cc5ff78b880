/** A row of the alias list while it is edited: Enter saves, Escape cancels. */
import { type AliasWire, limits, type UpdateAliasBody } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { type InputHTMLAttributes, type KeyboardEvent, useId, useState } from "react";
import { refetchAliases, useUpdateAlias } from "../../../api/aliases.ts";
import { Button } from "../../../ui/Controls.tsx";
import { ConfirmDialog } from "../../../ui/Dialog.tsx";
import { describedBy, FieldError } from "../../../ui/Field.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { addressOf, destinationText } from "../alias-text.ts";
import {
  type CreateFailure,
  isChangedElsewhere,
  isReservedName,
  reservedFailure,
  updateFailure,
} from "../create/create-failure.ts";
import { AliasSwitch } from "./AliasListRow.tsx";
import { type AliasEdit, type AliasRead, type EditErrors, isNewName, readAliasEdit, readOf } from "./edit-body.ts";

interface RenameAliasDialogProps {
  alias: AliasWire;
  name: string;
  onConfirm: () => void;
  onClose: () => void;
}

function RenameAliasDialog({ alias, name, onConfirm, onClose }: RenameAliasDialogProps) {
  const [before, after] = [addressOf(alias), addressOf({ ...alias, alias: name })];
  const description = `Mail to ${before} will be refused from now on. Whoever has that address needs the new one, ${after}.`;
  return (
    <ConfirmDialog
      title="Rename alias"
      description={description}
      label="Rename Alias"
      look="btn-primary"
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}

interface EditButtonsProps {
  pending: boolean;
  onCancel: () => void;
  onSave: () => void;
}

export function EditButtons({ pending, onCancel, onSave }: EditButtonsProps) {
  return (
    <>
      <Button isSmall look="quiet" onClick={onCancel}>
        Cancel <kbd aria-hidden="true">esc</kbd>
      </Button>
      <SubmitButton
        type="button"
        className="btn-ink btn-sm"
        pending={pending}
        pendingLabel="Saving..."
        onClick={onSave}
      >
        Save <kbd aria-hidden="true">↵</kbd>
      </SubmitButton>
    </>
  );
}

interface EditInputProps extends InputHTMLAttributes<HTMLInputElement> {
  errorId: string;
  error: string | undefined;
}

export function EditInput({ errorId, error, ...input }: EditInputProps) {
  return <input {...input} autoComplete="off" spellCheck={false} {...describedBy(errorId, error)} />;
}

type Rename = UpdateAliasBody & { alias: string };

export function useEdit(userId: string, alias: AliasWire, onClose: () => void) {
  const [edit, setEdit] = useState<AliasEdit>({
    alias: alias.alias,
    forwardTo: destinationText(alias),
    notes: alias.notes ?? "",
  });
  const [errors, setErrors] = useState<EditErrors>({});
  const [isSaving, setSaving] = useState(false);
  // The alias as shown when the edit began, or as refetched after a conflict.
  const [seen, setSeen] = useState<AliasRead | null>(() => readOf(alias));
  const client = useQueryClient();
  const update = useUpdateAlias(userId);
  const refuse = ({ title, description, fields }: CreateFailure) => {
    setErrors(Object.fromEntries(fields));
    showFailure(title, description);
  };
  const [renaming, setRenaming] = useState<Rename | null>(null);
  const send = async (body: UpdateAliasBody) => {
    try {
      const saved = await update.mutateAsync({ aliasId: alias.id, body });
      showToast({ title: "Alias Updated", description: addressOf(saved) });
      onClose();
    } catch (error) {
      refuse(updateFailure(error));
      if (!isChangedElsewhere(error)) return;
      setSeen(null);
      await refetchAliases(client, userId);
    }
  };
  const finish = async (work: Promise<void>) => {
    setSaving(true);
    await work;
    setSaving(false);
  };
  const ask = async (body: Rename) => {
    if (await isReservedName(body.alias)) refuse(reservedFailure(body.alias));
    else setRenaming(body);
  };
  const save = () => {
    if (isSaving) return;
    const read = readAliasEdit(edit, seen ?? readOf(alias));
    if ("errors" in read) return setErrors(read.errors);
    setErrors({});
    void finish(isNewName(read.body, alias) ? ask(read.body) : send(read.body));
  };
  const rename = () => {
    setRenaming(null);
    if (renaming !== null) void finish(send(renaming));
  };
  const change = (field: keyof AliasEdit) => (event: { target: { value: string } }) => {
    setEdit({ ...edit, [field]: event.target.value });
    setErrors({ ...errors, [field]: undefined });
  };
  const question = { renaming, rename, keepName: () => setRenaming(null) };
  return { edit, errors, change, save, pending: isSaving, ...question };
}

interface Props {
  userId: string;
  alias: AliasWire;
  onClose: () => void;
}

export function AliasEditRow({ userId, alias, onClose }: Props) {
  const id = useId();
  const { edit, errors, change, save, pending, renaming, rename, keepName } = useEdit(userId, alias, onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    // React passes on keys of the rename dialog too.
    if (event.nativeEvent.isComposing || renaming !== null) return;
    if (event.key === "Escape") onClose();
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) save();
  };
  return (
    <tr className="editing" onKeyDown={onKeyDown}>
      <td className="c-pick" />
      <td className="c-on">
        <AliasSwitch alias={alias} />
      </td>
      <td className="c-alias">
        <div className="pair">
          <EditInput
            className="input mono"
            aria-label="Alias name"
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
          // "Forward to" gets the focus: the name is rarely what people want to change.
          autoFocus
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
          <EditButtons pending={pending} onCancel={onClose} onSave={save} />
        </div>
        {renaming === null ? null : (
          <RenameAliasDialog alias={alias} name={renaming.alias} onConfirm={rename} onClose={keepName} />
        )}
      </td>
    </tr>
  );
}
