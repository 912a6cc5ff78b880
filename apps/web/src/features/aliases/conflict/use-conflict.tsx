/** After the server refused to overwrite a newer version of an alias: both are brought together, with a question if needed. */
import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { aliasesQuery, refetchAliases } from "../../../api/aliases.ts";
import { t } from "../../../texts/texts.ts";
import type { AliasRead } from "../alias-text.ts";
import { addressOf, destinationText } from "../alias-text.ts";
import type { AliasEdit } from "../row/edit-body.ts";
import { ConflictDialog } from "./ConflictDialog.tsx";
import { type Conflict, mergeEdit } from "./merge-edit.ts";

const labels: Record<keyof AliasEdit, string> = {
  alias: t("Alias name"),
  forwardTo: t("Forward to"),
  notes: t("Notes"),
};

interface Asked {
  newer: AliasWire;
  merged: AliasEdit;
  conflicts: readonly Conflict<keyof AliasEdit>[];
}

const editOf = ({ alias, forwardTo, notes }: AliasRead): AliasEdit => ({ alias, forwardTo, notes: notes ?? "" });

interface Parts {
  userId: string;
  aliasId: string;
  pending: boolean;
  /** Saves over the newer version, which the user has seen or which does not contradict. */
  onMerged: (edit: AliasEdit, newer: AliasWire) => unknown;
}

export function useConflict({ userId, aliasId, pending, onMerged }: Parts) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  /** @returns false if the alias no longer exists */
  const settle = async (read: AliasRead, mine: AliasEdit): Promise<boolean> => {
    await refetchAliases(client, userId);
    const newer = client.getQueryData(aliasesQuery(userId).queryKey)?.find(({ id }) => id === aliasId);
    if (newer === undefined) return false;
    const theirs = { alias: newer.alias, forwardTo: destinationText(newer), notes: newer.notes ?? "" };
    const { merged, conflicts } = mergeEdit({ read: editOf(read), mine, theirs });
    if (conflicts.length > 0) setAsked({ newer, merged, conflicts });
    else await onMerged(merged, newer);
    return true;
  };
  const dialog: ReactNode =
    asked === null ? null : (
      <ConflictDialog
        address={addressOf(asked.newer)}
        conflicts={asked.conflicts}
        labels={labels}
        pending={pending}
        onSave={(chosen) => {
          setAsked(null);
          onMerged({ ...asked.merged, ...chosen }, asked.newer);
        }}
        onClose={() => setAsked(null)}
      />
    );
  return { settle, dialog };
}
