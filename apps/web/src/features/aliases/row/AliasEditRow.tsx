/** A row of the alias list while it is edited: Enter saves, Escape cancels. */
import { type AliasWire, limits, type UpdateAliasBody } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { TextCursor } from "lucide-react";
import { type InputHTMLAttributes, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { knownAlias, useUpdateAlias } from "../../../api/aliases.ts";
import { deleteDraft, saveDraft } from "../../../drafts/drafts.ts";
import { rich, t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { describedBy, FieldError } from "../../../ui/Field.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { showFailure } from "../../../ui/toast-store.ts";
import { type AliasRead, addressOf, destinationText, readOf } from "../alias-text.ts";
import { useConflict } from "../conflict/use-conflict.tsx";
import { isChangedElsewhere, updateFailure } from "../create/create-failure.ts";
import { offerSavedUndo } from "../undo-change.ts";
import { AliasSwitch } from "./AliasListRow.tsx";
import { type AliasDraft, readAliasDraft } from "./alias-draft.ts";
import { type AliasEdit, type EditErrors, readAliasEdit } from "./edit-body.ts";
import { RenameDialog } from "./RenameDialog.tsx";

interface EditButtonsProps {
  pending: boolean;
  onCancel: () => void;
  onSave: () => void;
}

export function EditButtons({ pending, onCancel, onSave }: EditButtonsProps) {
  return (
    <>
      <Button isSmall look="quiet" onClick={onCancel}>
        {rich("Cancel <kbd>esc</kbd>", { kbd: (inner) => <kbd aria-hidden="true">{inner}</kbd> })}
      </Button>
      <SubmitButton
        type="button"
        className="btn-ink btn-sm"
        pending={pending}
        pendingLabel={t("Saving...")}
        onClick={onSave}
      >
        {t("Save")} <kbd aria-hidden="true">↵</kbd>
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

/**
 * What is typed is a draft until it is saved or cancelled: opening another row, or a reload, loses nothing.
 * @param onClose called after saving, and by Cancel
 */
export function useEdit(alias: AliasWire, onClose: () => void) {
  const { userId } = alias;
  const kept = { alias: alias.alias, forwardTo: destinationText(alias), notes: alias.notes ?? "" };
  const [edit, setEdit] = useState<AliasEdit>(kept);
  const [errors, setErrors] = useState<EditErrors>({});
  const [isSaving, setSaving] = useState(false);
  // The alias as shown when the edit began.
  const [seen, setSeen] = useState<AliasRead>(() => readOf(alias));
  const client = useQueryClient();
  const update = useUpdateAlias(userId);
  const wasTyped = useRef(false);
  useEffect(() => {
    void readAliasDraft(alias.id).then((draft) => {
      if (draft === null || wasTyped.current) return;
      const { read, forwardTo, notes } = draft;
      setEdit((before) => ({ ...before, forwardTo, notes }));
      if (read !== undefined) setSeen(read);
    });
  }, [alias.id]);
  const close = () => {
    void deleteDraft("alias", alias.id);
    onClose();
  };
  const send = async (wanted: AliasEdit, read: AliasRead, body: UpdateAliasBody) => {
    // After a conflict, what was saved elsewhere is the former state, and not what this edit began with.
    const before = knownAlias(client, alias) ?? alias;
    try {
      const saved = await update.mutateAsync({ aliasId: alias.id, body });
      offerSavedUndo(client, { before, saved, body, title: t("Alias Updated") });
      close();
    } catch (error) {
      if (isChangedElsewhere(error) && (await settle(read, wanted))) return;
      const { title, description, fields } = updateFailure(error);
      setErrors(Object.fromEntries(fields));
      showFailure(title, description);
    }
  };
  const save = async (wanted: AliasEdit, seenNow: AliasRead) => {
    const read = readAliasEdit(wanted, seenNow);
    if ("errors" in read) return setErrors(read.errors);
    setErrors({});
    setSaving(true);
    await send(wanted, seenNow, read.body);
    setSaving(false);
  };
  const { settle, dialog } = useConflict({
    userId,
    aliasId: alias.id,
    pending: isSaving,
    onMerged: (merged, newer) => {
      setEdit(merged);
      return save(merged, readOf(newer));
    },
  });
  const change = (field: keyof AliasDraft) => (event: { target: { value: string } }) => {
    wasTyped.current = true;
    const next = { ...edit, [field]: event.target.value };
    setEdit(next);
    setErrors({ ...errors, [field]: undefined });
    const { forwardTo, notes } = next;
    if (forwardTo === kept.forwardTo && notes === kept.notes) void deleteDraft("alias", alias.id);
    else void saveDraft<AliasDraft>("alias", alias.id, { forwardTo, notes, read: seen });
  };
  const onSave = () => {
    if (!isSaving) void save(edit, seen);
  };
  return { edit, errors, change, save: onSave, close, pending: isSaving, conflict: dialog };
}

interface Props {
  alias: AliasWire;
  /** Whether the edit was begun just now, so that its first field gets the focus. */
  isBegun: boolean;
  onClose: () => void;
}

export function AliasEditRow({ alias, isBegun, onClose }: Props) {
  const id = useId();
  const { edit, errors, change, save, close, pending, conflict } = useEdit(alias, onClose);
  const [isRenaming, setRenaming] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    // React passes on keys of the dialogs too.
    if (event.nativeEvent.isComposing || isRenaming || conflict !== null) return;
    if (event.key === "Escape") close();
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) save();
  };
  return (
    <tr className="editing" onKeyDown={onKeyDown}>
      <td className="c-pick" />
      <td className="c-on">
        <AliasSwitch alias={alias} />
      </td>
      <th scope="row" className="c-alias">
        <div>
          <span className="addr">
            <b>{alias.alias}</b>@{alias.domain}
          </span>
          <button
            type="button"
            className="icon-btn"
            aria-label={t("Rename {alias}", { alias: addressOf(alias) })}
            data-tip={t("Rename")}
            onClick={() => setRenaming(true)}
          >
            <TextCursor className="i" aria-hidden />
          </button>
          {isRenaming ? <RenameDialog alias={alias} onClose={() => setRenaming(false)} /> : null}
        </div>
      </th>
      <td className="c-to">
        <EditInput
          className="input mono"
          aria-label={t("Forward to")}
          autoFocus={isBegun}
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
          aria-label={t("Notes")}
          placeholder={t("Notes")}
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
          <EditButtons pending={pending} onCancel={close} onSave={save} />
          {conflict}
        </div>
      </td>
    </tr>
  );
}
