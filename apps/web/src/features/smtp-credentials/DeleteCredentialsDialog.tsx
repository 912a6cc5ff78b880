import { Dialog } from "../../ui/Dialog.tsx";

interface Props {
  username: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirmation that names what deleting the credentials destroys. */
export function DeleteCredentialsDialog({ username, onConfirm, onClose }: Props) {
  return (
    <Dialog
      title="Delete SMTP credentials"
      description={`Mail programs that sign in as ${username} can no longer send from it. This cannot be undone.`}
      onClose={onClose}
    >
      <footer>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn btn-danger" onClick={onConfirm}>
          Delete Credentials
        </button>
      </footer>
    </Dialog>
  );
}
