/** Bulk changes are shown at once; if the server refuses any part, the list is fetched again. */
import type { AliasWire, BulkAliasChange, BulkAliasResponse } from "@kauke/contract";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { changeList, refetchAliases, toggled } from "./aliases.ts";
import { call, callKept, countEvent } from "./client.ts";

interface ManyChange {
  aliasIds: readonly string[];
  change: BulkAliasChange;
}

/** An alias' predicted state after a bulk change; only the server can tell which destinations are confirmed. */
export function predicted(alias: AliasWire, { active, pinned, addLabel, removeLabel }: BulkAliasChange): AliasWire {
  if (active !== undefined) return alias.active === active ? alias : toggled(alias, active);
  if (pinned !== undefined) return { ...alias, pinned };
  const kept = alias.labels.filter((id) => id !== removeLabel);
  return { ...alias, labels: addLabel === undefined || kept.includes(addLabel) ? kept : [...kept, addLabel] };
}

export function useChangeAliases(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ aliasIds, change }: ManyChange) =>
      call("changeAliases", { body: { aliasIds: [...aliasIds], change } }),
    onMutate: ({ aliasIds, change }) => {
      const ids = new Set(aliasIds);
      changeList(client, userId, (aliases) =>
        aliases.map((alias) => (ids.has(alias.id) ? predicted(alias, change) : alias)),
      );
    },
    onSuccess: async ({ failed }, { change }) => {
      if (failed.length > 0 || change.forwardTo !== undefined) await refetchAliases(client, userId);
    },
    onError: () => refetchAliases(client, userId),
  });
}

/** Maximum alias ids in a request that outlives the page: browsers allow 64 KiB in all. */
export const keptIdsMax = 1500;

/** If the page closes at once, only the first `keptIdsMax` of the aliases are deleted. */
export async function deleteAliases(
  client: QueryClient,
  { userId, aliasIds }: { userId: string; aliasIds: readonly string[] },
): Promise<BulkAliasResponse> {
  const change = { delete: true } as const;
  const parts: BulkAliasResponse[] = await Promise.all([
    callKept("changeAliases", { body: { aliasIds: aliasIds.slice(0, keptIdsMax), change } }),
    ...(aliasIds.length > keptIdsMax
      ? [call("changeAliases", { body: { aliasIds: aliasIds.slice(keptIdsMax), change } })]
      : []),
  ]);
  countEvent("alias_deleted");
  const gone = new Set(aliasIds);
  changeList(client, userId, (aliases) => aliases.filter(({ id }) => !gone.has(id)));
  // Deleting an alias that is already gone is no failure.
  const failed = parts.flatMap((part) => part.failed).filter(({ code }) => code !== "not_found");
  if (failed.length > 0) await refetchAliases(client, userId);
  return { changed: parts.reduce((sum, part) => sum + part.changed, 0), failed };
}
