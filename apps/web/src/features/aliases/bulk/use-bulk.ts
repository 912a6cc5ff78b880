import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { deleteAliases, keptIdsMax, useChangeAliases } from "../../../api/alias-bulk.ts";
import { messageOf } from "../../../api/api-error.ts";
import { closeToast, readToast, showFailure, showToast } from "../../../ui/toast-store.ts";
import { addressOf, aliasesText, isActive } from "../alias-text.ts";
import { deleteLater, UNDO_MS, undoDeletion } from "../list/pending-deletion.ts";
import { bulkFailureText, deletionFailureText } from "./bulk-text.ts";

interface ManyChange {
  aliasIds: readonly string[];
  change: BulkAliasChange;
}

/** The change that undoes another; `null` if nothing changed, or for destinations. @param aliases as before */
export function undoOf(
  aliases: readonly AliasWire[],
  { active, pinned, addLabel, removeLabel }: BulkAliasChange,
): ManyChange | null {
  const of = (change: BulkAliasChange, wasOther: (alias: AliasWire) => boolean): ManyChange | null => {
    const aliasIds = aliases.filter(wasOther).map(({ id }) => id);
    return aliasIds.length === 0 ? null : { aliasIds, change };
  };
  if (active !== undefined) return of({ active: !active }, (alias) => isActive(alias) !== active);
  if (pinned !== undefined) return of({ pinned: !pinned }, (alias) => alias.pinned !== pinned);
  if (addLabel !== undefined) return of({ removeLabel: addLabel }, ({ labels }) => !labels.includes(addLabel));
  if (removeLabel !== undefined) return of({ addLabel: removeLabel }, ({ labels }) => labels.includes(removeLabel));
  return null;
}

const undoButton = (onAct: () => void) => ({
  visibleMs: UNDO_MS,
  action: { label: "Undo", spoken: "Undo the change", onAct },
});

export function useBulk(userId: string) {
  const client = useQueryClient();
  const { mutate, isPending } = useChangeAliases(userId);

  const send = ({ aliasIds, change }: ManyChange, said: string, undo: ManyChange | null) =>
    mutate(
      { aliasIds, change },
      {
        onSuccess: ({ changed, failed }) => {
          const text = bulkFailureText(failed, aliasIds.length);
          const shown =
            text === null
              ? ({ title: said, description: aliasesText(changed) } as const)
              : ({ title: "Not All Were Changed", description: text, variant: "bad" } as const);
          showToast(undo === null ? shown : { ...shown, ...undoButton(() => send(undo, "Change Undone", null)) });
        },
        onError: (error) => showFailure("Change Failed", messageOf(error, "Failed to change the aliases")),
      },
    );

  /** @param said title of the toast after success */
  const change = (aliases: readonly AliasWire[], wanted: BulkAliasChange, said: string) =>
    send({ aliasIds: aliases.map(({ id }) => id), change: wanted }, said, undoOf(aliases, wanted));

  /** Aliases are deleted on the server after ten seconds, unless undone. */
  const remove = (aliases: readonly AliasWire[]) => {
    const aliasIds = aliases.map(({ id }) => id);
    const [one] = aliases;
    const onAct = () => {
      const isUndone = undoDeletion({ aliasIds });
      // Shows the next toast a task later: the Undo button closes its own toast after this handler.
      setTimeout(() => {
        if (isUndone) showToast({ title: "Deletion Undone", description: aliasesText(aliasIds.length) });
        else showFailure("Too Late", "The aliases were deleted already.");
      });
    };
    const send = async () => {
      if (readToast()?.action?.onAct === onAct) closeToast();
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
