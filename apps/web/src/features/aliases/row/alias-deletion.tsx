import type { AliasWire } from "@kauke/contract";
import { type ReactNode, useState } from "react";
import { useDeleteAlias } from "../../../api/aliases.ts";
import { messageOf } from "../../../api/api-error.ts";
import { ConfirmDialog } from "../../../ui/Dialog.tsx";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { addressOf } from "../alias-text.ts";

/** @param onConfirmed called before the alias leaves the list */
export function useAliasDeletion(userId: string, onConfirmed?: () => void) {
  const [asked, setAsked] = useState<AliasWire>();
  const remove = useDeleteAlias(userId);
  if (asked === undefined) return { ask: setAsked, dialog: null };
  const onConfirm = () => {
    setAsked(undefined);
    onConfirmed?.();
    // Callbacks of React Query's `mutate` don't run once the component is gone.
    remove.mutateAsync(asked).then(
      () => showToast({ title: "Alias Deleted", description: addressOf(asked) }),
      (error) => showFailure("Deletion Failed", messageOf(error, "Failed to delete alias")),
    );
  };
  const dialog: ReactNode = (
    <ConfirmDialog
      title="Delete alias"
      description={`Mail to ${addressOf(asked)} will be refused from now on. This cannot be undone.`}
      label="Delete Alias"
      onConfirm={onConfirm}
      onClose={() => setAsked(undefined)}
    />
  );
  return { ask: setAsked, dialog };
}
