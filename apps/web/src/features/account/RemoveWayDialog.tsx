import { messageOf } from "../../api/api-error.ts";
import { isProofNeeded, useRemoveWay } from "../../api/session/ways-in.ts";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";

interface Props {
  way: "wallet" | "google";
  /** Called when the server requires a fresh sign-in first; `again` repeats the removal after it. */
  onProofNeeded: (again: () => void) => void;
  onClose: () => void;
}

const words = {
  wallet: { title: "Remove wallet", removed: "Wallet Removed", subject: "The wallet" },
  google: { title: "Remove Google", removed: "Google Removed", subject: "The Google account" },
} as const;

export function RemoveWayDialog({ way, onProofNeeded, onClose }: Props) {
  const remove = useRemoveWay(way);
  const { title, removed, subject } = words[way];
  const onRemove = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ title: removed, description: "Every other device was signed out." });
        onClose();
      },
      onError: (error) => {
        if (isProofNeeded(error)) return onProofNeeded(onRemove);
        showFailure("Not Removed", messageOf(error, "Please try again."));
      },
    });
  return (
    <Dialog
      title={title}
      description={`${subject} will no longer sign in to your account, and every other device is signed out.`}
      onClose={() => remove.isPending || onClose()}
    >
      <DialogFooter onCancel={onClose} isBusy={remove.isPending}>
        <SubmitButton
          type="button"
          className="btn-danger"
          pending={remove.isPending}
          pendingLabel="Removing..."
          onClick={onRemove}
        >
          Remove
        </SubmitButton>
      </DialogFooter>
    </Dialog>
  );
}
