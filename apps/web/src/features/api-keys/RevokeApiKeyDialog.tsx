import type { ApiKeyWire } from "@kauke/contract";
import { useRevokeApiKey } from "../../api/api-keys.ts";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

/** Asks for confirmation before an API key is revoked. */
export function RevokeApiKeyDialog({ apiKey: { id, name }, onClose }: { apiKey: ApiKeyWire; onClose: () => void }) {
  const revoke = useRevokeApiKey();
  const onRevoke = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        showToast({ title: "Key Revoked", description: name });
        onClose();
      },
      onError: (error) =>
        showFailure("Key Not Revoked", refusalText(error, "The key could not be revoked. Please try again.")),
    });
  return (
    <Dialog
      title="Revoke API key"
      description={`Programs that use ${name} are refused at once. Aliases they made stay. This cannot be undone.`}
      onClose={() => revoke.isPending || onClose()}
    >
      <DialogFooter onCancel={onClose} isBusy={revoke.isPending}>
        <SubmitButton
          type="button"
          className="btn-danger"
          pending={revoke.isPending}
          pendingLabel="Revoking..."
          onClick={onRevoke}
        >
          Revoke Key
        </SubmitButton>
      </DialogFooter>
    </Dialog>
  );
}
