import type { EncryptionKeyWire } from "@kauke/contract";
import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useEncryptionKeyCalls } from "../../api/encryption-keys.ts";
import { TypedConfirmDialog } from "../../ui/TypedConfirmDialog.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";

interface Props {
  encryptionKey: EncryptionKeyWire;
  /** Whether no other key is left to become the default. */
  isLast: boolean;
  onClose: () => void;
}

/** The dialog names what deleting the key destroys. */
export function DeleteKeyDialog({ encryptionKey: { id, keyName, isDefault }, isLast, onClose }: Props) {
  const { deleteKey } = useEncryptionKeyCalls();
  const [pending, setPending] = useState(false);
  const onDelete = async () => {
    setPending(true);
    try {
      await deleteKey(id);
      showToast({ title: "Key deleted", description: keyName });
      onClose();
    } catch (error) {
      showFailure("Failed to delete key", messageOf(error, "The key could not be deleted. Please try again."));
      setPending(false);
    }
  };
  return (
    <TypedConfirmDialog
      word={keyName}
      fits={(typed) => typed.trim() === keyName.trim()}
      title="Delete key"
      description={`Messages encrypted to ${keyName} can never be read again, unless you have downloaded the key. This cannot be undone.`}
      label="Delete Key"
      pending={pending}
      onConfirm={() => void onDelete()}
      onClose={onClose}
    >
      {isDefault && !isLast ? (
        <p className="hint">It is your default key. The newest other one takes its place.</p>
      ) : null}
    </TypedConfirmDialog>
  );
}
