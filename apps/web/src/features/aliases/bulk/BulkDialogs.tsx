import { aliasMessages, type BulkAliasChange, bulkAliasBody } from "@kauke/contract";
import { type FormEvent, useRef, useState } from "react";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { FormDialog } from "../../../ui/Dialog.tsx";
import { TextField, verbatim } from "../../../ui/Field.tsx";
import { TypedConfirmDialog } from "../../../ui/TypedConfirmDialog.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { isCount } from "./bulk-text.ts";

interface Props {
  aliasIds: readonly string[];
  onChange: (change: BulkAliasChange, said: string) => void;
  onClose: () => void;
}

export function BulkDestinationsDialog({ aliasIds, onChange, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const read = bulkAliasBody.safeParse({ aliasIds, change: { forwardTo: field.current?.value ?? "" } });
    if (!read.success) {
      setError(read.error.issues[0]?.message ?? aliasMessages.forwardToFormat);
      field.current?.focus();
      return;
    }
    onChange(read.data.change, t("Destinations Changed"));
    onClose();
  };
  return (
    <FormDialog
      title={plural(aliasIds.length, "Forward {count} alias", "Forward {count} aliases", {
        count: countText(aliasIds.length),
      })}
      description={t("Replaces every destination that they have now. Paused aliases stay paused.")}
      label={t("Change Destinations")}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label={t("Forward to")}
        mono
        ref={field}
        autoFocus
        {...verbatim}
        placeholder="you@example.org"
        error={error}
        onChange={() => setError(undefined)}
      />
    </FormDialog>
  );
}

interface DeleteManyDialogProps {
  count: number;
  onConfirm: () => void;
  onClose: () => void;
}

/** The number of aliases has to be typed before they are deleted. */
export function DeleteManyDialog({ count, onConfirm, onClose }: DeleteManyDialogProps) {
  return (
    <TypedConfirmDialog
      word={countText(count)}
      fits={(typed) => isCount(typed, count)}
      title={plural(count, "Delete {count} alias", "Delete {count} aliases", { count: countText(count) })}
      description={t("Mail to them will be refused from now on. You have ten seconds to undo it.")}
      label={t("Delete Aliases")}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}
