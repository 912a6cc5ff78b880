import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useChangeAliases } from "../../../api/alias-bulk.ts";
import { deleteAliases } from "../delete-aliases.ts";
import { changeManyAliases } from "../undo-change.ts";

export function useBulk(userId: string) {
  const client = useQueryClient();
  const { mutateAsync, isPending } = useChangeAliases(userId);
  const change = (aliases: readonly AliasWire[], wanted: BulkAliasChange, title: string) =>
    void changeManyAliases(client, { aliases, change: wanted, title }, (_, many) => mutateAsync(many));
  const remove = (aliases: readonly AliasWire[]) => void deleteAliases(client, aliases);
  return { change, remove, isPending };
}
