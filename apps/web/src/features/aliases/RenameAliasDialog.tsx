import type { AliasWire } from "@kauke/contract";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { addressOf } from "./alias-text.ts";

interface Props {
  alias: AliasWire;
  /** The new name of the alias. */
  name: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Says what becomes of the old address before an alias gets a new name. */
export function RenameAliasDialog({ alias, name, onConfirm, onClose }: Props) {
  const [before, after] = [addressOf(alias), addressOf({ ...alias, alias: name })];
  const description = `Mail to ${before} will be refused from now on. Whoever has that address needs the new one, ${after}.`;
  return (
    <Dialog title="Rename alias" description={description} onClose={onClose}>
      <DialogFooter onCancel={onClose}>
        <button type="button" className="btn btn-primary" onClick={onConfirm}>
          Rename Alias
        </button>
      </DialogFooter>
    </Dialog>
  );
}
