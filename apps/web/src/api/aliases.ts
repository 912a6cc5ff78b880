/** All aliases are one cached list. After a toggle the server's response counts, unless another toggle is in flight. */
import {
  type AliasWire,
  type Body,
  type CreateAliasBody,
  isDomainOpen,
  type ResponseOf,
  type UpdateAliasBody,
} from "@kauke/contract";
import {
  type QueryClient,
  queryOptions,
  replaceEqualDeep,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { useAccountDomains } from "./account-domains.ts";
import { call, countEvent } from "./client.ts";
import { markWaiting } from "./forwarding.ts";

const keyOf = (userId: string) => ["aliases", userId] as const;

export const aliasesQuery = (userId: string) =>
  queryOptions({
    queryKey: keyOf(userId),
    queryFn: async () => (await call("listAliases", { params: { userId } })).aliases,
    structuralSharing: (before, after) => sharedById(before as AliasWire[] | undefined, after as AliasWire[]),
  });

/** Unchanged aliases stay the same objects, also when others before them are gone. */
function sharedById(before: AliasWire[] | undefined, after: AliasWire[]): AliasWire[] {
  if (before === undefined || before === after) return after;
  let byId: ReadonlyMap<string, AliasWire> | undefined;
  const formerOf = ({ id }: AliasWire, at: number) => {
    if (before[at]?.id === id) return before[at];
    byId ??= new Map(before.map((alias) => [alias.id, alias]));
    return byId.get(id);
  };
  const shared = after.map((alias, at) => replaceEqualDeep(formerOf(alias, at), alias));
  return shared.length === before.length && shared.every((alias, at) => alias === before[at]) ? before : shared;
}

const isMarked = ({ deletesAt }: AliasWire): boolean => deletesAt !== undefined;
const unmarked = (aliases: AliasWire[]) => (aliases.some(isMarked) ? aliases.filter((one) => !isMarked(one)) : aliases);
const marked = (aliases: AliasWire[]) => aliases.filter(isMarked);

/** Without those that the server deletes in some seconds. */
export function useAliases(userId: string) {
  return useQuery({ ...aliasesQuery(userId), select: unmarked });
}

/** As `useAliases`, for what is shown after the list: a list that could not be loaded is not requested again for it. */
export function useListedAliases(userId: string) {
  return useQuery({ ...aliasesQuery(userId), select: unmarked, retryOnMount: false });
}

/** Aliases that the server deletes in some seconds, of a list that another page has fetched. */
export function useMarkedAliases(userId: string): AliasWire[] | undefined {
  return useQuery({ ...aliasesQuery(userId), enabled: false, select: marked }).data;
}

/** The alias as this page last heard of it. */
export function knownAlias(client: QueryClient, { id, userId }: AliasWire): AliasWire | undefined {
  return client.getQueryData<AliasWire[]>(keyOf(userId))?.find((alias) => alias.id === id);
}

/** Refetches the aliases now if a page shows them, otherwise when one next does. */
export function refetchAliases(client: QueryClient, userId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(userId) });
}

/** Makes a request a mutation: a list that was asked for before it is dropped, and asked for again after it. */
export function asMutation<Result>(client: QueryClient, request: () => Promise<Result>): Promise<Result> {
  const { mutations } = client.getDefaultOptions();
  const mutation = client.getMutationCache().build<Result, Error, void, unknown>(client, {
    ...mutations,
    mutationFn: request,
  });
  return mutation.execute();
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

interface AliasUpdate {
  aliasId: string;
  body: UpdateAliasBody;
}

export async function requestUpdate(
  client: QueryClient,
  userId: string,
  { aliasId, body }: AliasUpdate,
): Promise<AliasWire> {
  const alias = await asMutation(client, () => call("updateAlias", { params: { aliasId }, body }));
  changeList(client, userId, replaced(alias));
  return alias;
}

export function useUpdateAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({ mutationFn: (update: AliasUpdate) => requestUpdate(client, userId, update) });
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

/** Domains for new aliases: the server's, whose first is the default, then the account's own that work. */
export function useDomains() {
  const servers = useQuery({ queryKey: ["domains"], queryFn: async () => (await call("listDomains")).domains });
  const own = useAccountDomains();
  const data = useMemo(
    () => (own.isPending || servers.data === undefined ? undefined : [...servers.data, ...namesOf(own.data)]),
    [servers.data, own.data, own.isPending],
  );
  const { error, isError, isFetching, refetch } = servers;
  return { data, error, isError, isFetching, isPending: data === undefined && !isError, refetch } as const;
}

const namesOf = (listed: ResponseOf<"listAccountDomains"> | undefined): string[] =>
  (listed?.domains ?? []).filter(isDomainOpen).map(({ domain }) => domain);
