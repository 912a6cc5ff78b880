/** Dialog that asks for new destinations of the selected aliases. */
import { aliasMessages, type BulkAliasChange, bulkAliasBody } from "@kauke/contract";
import { type FormEvent, useId, useRef, useState } from "react";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/Field.tsx";
import { aliasesText } from "./bulk-text.ts";

interface Props {
  aliasIds: readonly string[];
  onChange: (change: BulkAliasChange, said: string) => void;
  onClose: () => void;
}

export function BulkDestinationsDialog({ aliasIds, onChange, onClose }: Props) {
  const formId = useId();
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
    onChange(read.data.change, "Destinations Changed");
    onClose();
  };
  return (
    <Dialog
      title={`Forward ${aliasesText(aliasIds.length)}`}
      description="Replaces every destination that they have now. Paused aliases stay paused."
      onClose={onClose}
    >
      <form id={formId} className="body" noValidate onSubmit={onSubmit}>
        <TextField
          label="Forward to"
          mono
          ref={field}
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="you@example.org"
          error={error}
          onChange={() => setError(undefined)}
        />
      </form>
      <DialogFooter onCancel={onClose}>
        <button type="submit" form={formId} className="btn btn-primary">
          Change Destinations
        </button>
      </DialogFooter>
    </Dialog>
  );
}
