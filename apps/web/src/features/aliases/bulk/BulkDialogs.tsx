/** Dialog that asks for new destinations of the selected aliases. */
import { aliasMessages, type BulkAliasChange, bulkAliasBody } from "@kauke/contract";
import { type FormEvent, useId, useRef, useState } from "react";
import { Dialog, DialogFooter } from "../../../ui/Dialog.tsx";
import { TextField } from "../../../ui/Field.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { aliasesText } from "../alias-text.ts";
import { isCount } from "./bulk-text.ts";

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

/** Asks before many aliases are deleted: their number has to be typed. */

interface DeleteManyDialogProps {
  count: number;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteManyDialog({ count, onConfirm, onClose }: DeleteManyDialogProps) {
  const [typed, setTyped] = useState("");
  const isConfirmed = isCount(typed, count);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed) onConfirm();
  };
  return (
    <Dialog
      title={`Delete ${aliasesText(count)}`}
      description="Mail to them will be refused from now on. You have ten seconds to undo it."
      onClose={onClose}
    >
      <form className="contents" onSubmit={onSubmit}>
        <div className="body">
          <TextField
            mono
            label={`Type ${countText(count)} to confirm`}
            inputMode="numeric"
            autoComplete="off"
            error={undefined}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <DialogFooter onCancel={onClose}>
          <button type="submit" className="btn btn-danger" disabled={!isConfirmed}>
            Delete Aliases
          </button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
