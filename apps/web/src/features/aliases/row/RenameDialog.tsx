import { type AliasWire, limits, updateAliasBody } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { t } from "../../../texts/texts.ts";
import { FormDialog } from "../../../ui/Dialog.tsx";
import { TextField, verbatim } from "../../../ui/Field.tsx";
import { showFailure } from "../../../ui/toast-store.ts";
import { addressOf } from "../alias-text.ts";
import { isReservedName, reservedFailure, updateFailure } from "../create/create-failure.ts";
import { offerSavedUndo } from "../undo-change.ts";
import { isNewName } from "./edit-body.ts";

function useRename(alias: AliasWire) {
  const client = useQueryClient();
  const update = useUpdateAlias(alias.userId);
  return async (name: string) => {
    const body = { alias: name };
    const saved = await update.mutateAsync({ aliasId: alias.id, body });
    offerSavedUndo(client, { before: alias, saved, body, title: t("Alias Updated") });
  };
}

/** A new name is an act of its own, since the old address stops working. */
export function RenameDialog({ alias, onClose }: { alias: AliasWire; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(alias.alias);
  const [error, setError] = useState<string>();
  const [pending, setPending] = useState(false);
  const rename = useRename(alias);
  const refuse = (reason: string | undefined) => {
    setError(reason);
    field.current?.focus();
  };
  const send = async () => {
    if (isNewName({ alias: name }, alias) && (await isReservedName(name))) {
      const { title, description, fields } = reservedFailure(name);
      showFailure(title, description);
      return refuse(Object.fromEntries(fields).alias);
    }
    try {
      await rename(name);
      onClose();
    } catch (refused) {
      const { title, description, fields } = updateFailure(refused);
      showFailure(title, description);
      refuse(Object.fromEntries(fields).alias);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    if (name === alias.alias) return onClose();
    const read = updateAliasBody.safeParse({ alias: name });
    if (!read.success) return refuse(read.error.issues[0]?.message);
    setPending(true);
    void send().finally(() => setPending(false));
  };
  return (
    <FormDialog
      title={t("Rename alias")}
      description={t("Mail to {alias} will be refused. Sites that have it must be told.", { alias: addressOf(alias) })}
      label={t("Rename Alias")}
      pending={pending}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label={t("Alias name")}
        aside={<span className="addr">@{alias.domain}</span>}
        mono
        ref={field}
        autoFocus
        {...verbatim}
        maxLength={limits.aliasNameMax}
        value={name}
        error={error}
        onChange={({ target }) => {
          setName(target.value);
          setError(undefined);
        }}
      />
    </FormDialog>
  );
}
