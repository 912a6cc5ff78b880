/** Asks before many aliases are deleted: their number has to be typed. */
import { type FormEvent, useState } from "react";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/Field.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { aliasesText, isCount } from "./bulk-text.ts";

interface Props {
  count: number;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteManyDialog({ count, onConfirm, onClose }: Props) {
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
