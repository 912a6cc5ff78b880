import { Dialog } from "../../ui/Dialog.tsx";

interface Props {
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation before Reset clears a draft. */
export function DiscardDraftDialog({ onConfirm, onClose }: Props) {
  const discard = () => {
    onConfirm();
    onClose();
  };
  return (
    <Dialog title="Discard this message?" description="What you have written will be deleted." onClose={onClose}>
      <footer>
        <button type="button" className="btn" onClick={onClose}>
          Keep writing
        </button>
        <button type="button" className="btn btn-danger" onClick={discard}>
          Discard
        </button>
      </footer>
    </Dialog>
  );
}
