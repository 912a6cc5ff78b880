/** Bulk changes of the selected aliases, with a toast for each change. */
import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { deleteAliases, keptIdsMax, useChangeAliases } from "../../api/alias-bulk.ts";
import { messageOf } from "../../api/api-error.ts";
import { dismissToast, readToast, showFailure, showToast } from "../../ui/toast-store.ts";
import { addressOf } from "./alias-text.ts";
import { aliasesText, deletionFailureText, failureText } from "./bulk-text.ts";
import { deleteLater, UNDO_MS, undoDeletion } from "./pending-deletion.ts";

export function useBulk(userId: string) {
  const client = useQueryClient();
  const { mutate, isPending } = useChangeAliases(userId);

  /** @param said title of the toast after success, e.g. `Aliases Paused` */
  const change = (aliasIds: readonly string[], wanted: BulkAliasChange, said: string) =>
    mutate(
      { aliasIds, change: wanted },
      {
        onSuccess: ({ changed, failed }) => {
          const text = failureText(failed, aliasIds.length);
          if (text === null) showToast({ title: said, description: aliasesText(changed) });
          else showFailure("Not All Were Changed", text);
        },
        onError: (error) => showFailure("Change Failed", messageOf(error, "Failed to change the aliases")),
      },
    );

  /** Removes the aliases from the list at once, and deletes them on the server after ten seconds. */
  const remove = (aliases: readonly AliasWire[]) => {
    const aliasIds = aliases.map(({ id }) => id);
    const [one] = aliases;
    const onAct = () => {
      const isUndone = undoDeletion({ aliasIds });
      // Shown a task later: the toast with the Undo button closes after this handler, and there is one toast at a time.
      setTimeout(() => {
        if (isUndone) showToast({ title: "Deletion Undone", description: aliasesText(aliasIds.length) });
        else showFailure("Too Late", "The aliases were deleted already.");
      });
    };
    const send = async () => {
      if (readToast()?.action?.onAct === onAct) dismissToast();
      try {
        const { failed } = await deleteAliases(client, { userId, aliasIds });
        if (failed.length > 0) showFailure("Deletion Failed", deletionFailureText(failed));
      } catch (error) {
        showFailure("Deletion Failed", messageOf(error, "Failed to delete the aliases"));
      }
    };
    deleteLater({ aliasIds, hasToAsk: aliasIds.length > keptIdsMax, send });
    showToast({
      title: aliases.length === 1 ? "Alias Deleted" : "Aliases Deleted",
      description: one !== undefined && aliases.length === 1 ? addressOf(one) : aliasesText(aliasIds.length),
      visibleMs: UNDO_MS,
      action: { label: "Undo", spoken: "Undo the deletion", onAct },
    });
  };
  return { change, remove, isPending };
}
