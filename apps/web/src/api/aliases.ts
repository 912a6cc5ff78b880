/** All aliases are one cached list. After a toggle the server's response counts, unless another toggle is in flight. */
import type { AliasWire, Body, CreateAliasBody, ResponseOf, UpdateAliasBody } from "@kauke/contract";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, countEvent } from "./client.ts";
import { markWaiting } from "./forwarding.ts";

const keyOf = (userId: string) => ["aliases", userId] as const;

export const aliasesQuery = (userId: string) =>
  queryOptions({
    queryKey: keyOf(userId),
    queryFn: async () => (await call("listAliases", { params: { userId } })).aliases,
  });

export function useAliases(userId: string) {
  return useQuery(aliasesQuery(userId));
}

/** Refetches the aliases now if a page shows them, otherwise when one next does. */
export function refetchAliases(client: QueryClient, userId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(userId) });
}

type Change = (aliases: AliasWire[]) => AliasWire[];

export function changeList(client: QueryClient, userId: string, change: Change): void {
  client.setQueryData<AliasWire[]>(keyOf(userId), (aliases) => (aliases === undefined ? undefined : change(aliases)));
}

const replaced =
  (alias: AliasWire): Change =>
  (aliases) =>
    aliases.map((item) => (item.id === alias.id ? alias : item));

function addCreated(client: QueryClient, userId: string, alias: AliasWire): void {
  countEvent("alias_created");
  markWaiting(client, alias.id);
  if (client.getQueryData(keyOf(userId)) === undefined) void refetchAliases(client, userId);
  changeList(client, userId, (aliases) => [alias, ...aliases.filter((item) => item.id !== alias.id)]);
}

export function useCreateAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateAliasBody) => call("createAlias", { params: { userId }, body }),
    onSuccess: (alias) => addCreated(client, userId, alias),
  });
}

export function useGenerateAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<"generateAlias">) => call("generateAlias", { params: { userId }, body }),
    onSuccess: (alias) => addCreated(client, userId, alias),
  });
}

export function useUpdateAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ aliasId, body }: { aliasId: string; body: UpdateAliasBody }) =>
      call("updateAlias", { params: { aliasId }, body }),
    onSuccess: (alias) => changeList(client, userId, replaced(alias)),
  });
}

/** The wire format says `forwardTo: "null"` for a paused alias. */
export function toggled(alias: AliasWire, active: boolean): AliasWire {
  const destinations = alias.forwardTo === "null" ? alias.lastForwardTo : alias.forwardTo;
  return { ...alias, active, lastForwardTo: destinations, forwardTo: active ? (destinations ?? "null") : "null" };
}

/** Toggles of one alias run in sequence, so a second click can't overtake the first. @throws after a rollback */
export function requestToggle(
  client: QueryClient,
  alias: AliasWire,
  active: boolean,
): Promise<ResponseOf<"toggleAlias">> {
  const { userId } = alias;
  const mutationKey = ["toggle-alias", alias.id];
  const mutation = client.getMutationCache().build<ResponseOf<"toggleAlias">, Error, boolean, AliasWire>(client, {
    ...client.getDefaultOptions().mutations,
    mutationKey,
    scope: { id: `toggle-alias-${alias.id}` },
    mutationFn: (wanted) => call("toggleAlias", { params: { aliasId: alias.id }, body: { active: wanted } }),
    onMutate: (wanted) => {
      changeList(client, userId, replaced(toggled(alias, wanted)));
      return alias;
    },
    onError: (_error, _wanted, before) => {
      if (before) changeList(client, userId, replaced(before));
    },
    onSuccess: (response) => {
      if (client.isMutating({ mutationKey }) <= 1) changeList(client, userId, replaced(response.alias));
    },
  });
  return mutation.execute(active);
}

export function useDeleteAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (alias: AliasWire) => call("deleteAlias", { params: { aliasId: alias.id } }),
    onMutate: (alias) => {
      const index = client.getQueryData<AliasWire[]>(keyOf(userId))?.findIndex((item) => item.id === alias.id) ?? 0;
      changeList(client, userId, (aliases) => aliases.filter((item) => item.id !== alias.id));
      return { index };
    },
    onSuccess: () => countEvent("alias_deleted"),
    onError: (_error, alias, before) =>
      changeList(client, userId, (aliases) =>
        aliases.some((item) => item.id === alias.id) ? aliases : aliases.toSpliced(before?.index ?? 0, 0, alias),
      ),
  });
}

/** The server's domains for aliases; the first one is the default. */
export function useDomains() {
  return useQuery({ queryKey: ["domains"], queryFn: async () => (await call("listDomains")).domains });
}
