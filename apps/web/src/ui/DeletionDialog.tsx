import { Dialog, DialogFooter } from "./Dialog.tsx";

interface Props {
  title: string;
  /** Text that says what the deletion destroys. */
  description: string;
  /** Label of the button that deletes. */
  label: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation before something is deleted. */
export function DeletionDialog({ title, description, label, onConfirm, onClose }: Props) {
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <DialogFooter onCancel={onClose}>
        <button type="button" className="btn btn-danger" onClick={onConfirm}>
          {label}
        </button>
      </DialogFooter>
    </Dialog>
  );
}
