import type { EncryptionKeyWire } from "@kauke/contract";
import { useState } from "react";
import { useEncryptionKeyCalls } from "../../api/encryption-keys.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { TypedConfirmDialog } from "../../ui/TypedConfirmDialog.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useRowReturn } from "../../ui/use-row-return.ts";

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
  const { returnTo, noteGone } = useRowReturn();
  const onDelete = async () => {
    setPending(true);
    try {
      await deleteKey(id);
      noteGone();
      showToast({ title: t("Key deleted"), description: keyName });
      onClose();
    } catch (error) {
      showFailure(t("Failed to delete key"), messageOf(error, t("The key could not be deleted. Please try again.")));
      setPending(false);
    }
  };
  return (
    <TypedConfirmDialog
      word={keyName}
      fits={(typed) => typed.trim() === keyName.trim()}
      title={t("Delete key")}
      description={t(
        "Messages encrypted to {keyName} can never be read again, unless you have downloaded the key. This cannot be undone.",
        { keyName },
      )}
      label={t("Delete Key")}
      pending={pending}
      returnTo={returnTo}
      onConfirm={() => void onDelete()}
      onClose={onClose}
    >
      {isDefault && !isLast ? (
        <p className="hint">{t("It is your default key. The newest other one takes its place.")}</p>
      ) : null}
    </TypedConfirmDialog>
  );
}
