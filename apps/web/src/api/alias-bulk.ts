/** Bulk changes are shown at once; if the server refuses any part, the list is fetched again. */
import type { AliasWire, BulkAliasChange, BulkAliasResponse } from "@kauke/contract";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { asMutation, changeList, refetchAliases, toggled } from "./aliases.ts";
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
  return useMutation({ mutationFn: (many: ManyChange) => requestChange(client, userId, many) });
}

export async function requestChange(
  client: QueryClient,
  userId: string,
  { aliasIds, change }: ManyChange,
): Promise<BulkAliasResponse> {
  const ids = new Set(aliasIds);
  changeList(client, userId, (aliases) =>
    aliases.map((alias) => (ids.has(alias.id) ? predicted(alias, change) : alias)),
  );
  try {
    const response = await asMutation(client, () =>
      call("changeAliases", { body: { aliasIds: [...aliasIds], change } }),
    );
    if (response.failed.length > 0 || change.forwardTo !== undefined) await refetchAliases(client, userId);
    return response;
  } catch (error) {
    void refetchAliases(client, userId);
    throw error;
  }
}

/** Maximum alias ids in a request that outlives the page: browsers allow 64 KiB in all. */
export const keptIdsMax = 1500;

/** Marked aliases are in the list's cache until they are gone, but in no list. */
function mark(client: QueryClient, userId: string, { aliasIds, deletesAt }: Marking): void {
  const ids = new Set(aliasIds);
  changeList(client, userId, (aliases) =>
    aliases.map((alias) => {
      if (!ids.has(alias.id) || alias.deletesAt === (deletesAt ?? undefined)) return alias;
      const { deletesAt: _, ...plain } = alias;
      return deletesAt === null ? plain : { ...plain, deletesAt };
    }),
  );
}

interface Marking {
  aliasIds: readonly string[];
  deletesAt: string | null;
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** Sent even if the page closes at once; with more than `keptIdsMax` aliases the browser asks while it is sent. */
async function sendDeletion(aliasIds: readonly string[], inSeconds: number): Promise<BulkAliasResponse> {
  const given = { body: { aliasIds: [...aliasIds], change: { delete: true, inSeconds } as const } };
  if (aliasIds.length <= keptIdsMax) return await callKept("changeAliases", given);
  window.addEventListener("beforeunload", askBeforeLeaving);
  try {
    return await call("changeAliases", given);
  } finally {
    window.removeEventListener("beforeunload", askBeforeLeaving);
  }
}

interface LaterDeletion {
  aliasIds: readonly string[];
  inSeconds: number;
}

/**
 * Hides the aliases now; the server deletes them in some seconds, unless they are kept before.
 * @returns aliases that are not deleted @throws ApiError after showing them again
 */
export async function requestDeletion(
  client: QueryClient,
  userId: string,
  { aliasIds, inSeconds }: LaterDeletion,
): Promise<BulkAliasResponse["failed"]> {
  const deletesAt = new Date(Date.now() + inSeconds * 1000).toISOString();
  mark(client, userId, { aliasIds, deletesAt });
  try {
    const { failed } = await asMutation(client, () => sendDeletion(aliasIds, inSeconds));
    countEvent("alias_deleted");
    // Deleting an alias that is already gone is no failure.
    const stay = failed.filter(({ code }) => code !== "not_found");
    if (stay.length > 0) mark(client, userId, { aliasIds: stay.map(({ id }) => id), deletesAt: null });
    return stay;
  } catch (error) {
    mark(client, userId, { aliasIds, deletesAt: null });
    // The request may have arrived although the response has not.
    void refetchAliases(client, userId);
    throw error;
  }
}

/** Shows the aliases again. @returns those that are deleted already @throws ApiError after hiding them again */
export async function requestKeeping(
  client: QueryClient,
  userId: string,
  { aliasIds, deletesAt }: Marking,
): Promise<BulkAliasResponse["failed"]> {
  mark(client, userId, { aliasIds, deletesAt: null });
  try {
    const { failed } = await asMutation(client, () =>
      call("changeAliases", { body: { aliasIds: [...aliasIds], change: { keep: true } } }),
    );
    dropDeleted(
      client,
      userId,
      failed.map(({ id }) => id),
    );
    return failed;
  } catch (error) {
    mark(client, userId, { aliasIds, deletesAt });
    throw error;
  }
}

export function dropDeleted(client: QueryClient, userId: string, aliasIds: readonly string[]): void {
  if (aliasIds.length === 0) return;
  const gone = new Set(aliasIds);
  changeList(client, userId, (aliases) => aliases.filter(({ id }) => !gone.has(id)));
}
