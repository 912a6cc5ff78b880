import type { AliasWire } from "@kauke/contract";
import { Dialog } from "../../ui/Dialog.tsx";
import { addressOf } from "./alias-text.ts";

interface Props {
  alias: AliasWire;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirmation that names what deleting the alias destroys. */
export function DeleteAliasDialog({ alias, onConfirm, onClose }: Props) {
  return (
    <Dialog
      title="Delete alias"
      description={`Mail to ${addressOf(alias)} will be refused from now on. This cannot be undone.`}
      onClose={onClose}
    >
      <footer>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn btn-danger" onClick={onConfirm}>
          Delete Alias
        </button>
      </footer>
    </Dialog>
  );
}
