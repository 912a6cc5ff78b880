/** State of aliases at the forwarding provider. Without a provider no request is made. */
import type { ForwardingWire } from "@kauke/contract";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "./client.ts";

const queryKey = ["forwarding"];
const forwardingQuery = queryOptions({ queryKey, queryFn: () => call("getForwarding") });

/** Asks again after a change of an alias, or of what aliases depend on; nothing happens with our own engine. */
export function refetchForwarding(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey });
}

/** Shows a new alias as waiting before the next response says so. */
export function markWaiting(client: QueryClient, aliasId: string): void {
  const waiting = { aliasId, state: "waiting", problem: null, held: null, nextTryAt: null } as const;
  client.setQueryData<ForwardingWire>(
    queryKey,
    (data) =>
      data && {
        ...data,
        counts: { ...data.counts, waiting: data.counts.waiting + 1 },
        unfinished: [...data.unfinished, waiting],
      },
  );
}

/** What the provider has done since is told by an event of the server. */
export function useForwardingWatch(): ForwardingWire | undefined {
  const client = useQueryClient();
  useEffect(() => {
    return client.getMutationCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "success") return;
      if (event.mutation.options.meta?.["endsSession"] !== true) void refetchForwarding(client);
    });
  }, [client]);
  const { data } = useQuery({
    ...forwardingQuery,
    refetchOnMount: "always",
    refetchOnWindowFocus: "always",
  });
  return data;
}

/** What the last response said of an alias; `undefined` if the provider has it as wanted. Makes no request. */
export function useUnfinished(aliasId: string) {
  const { data } = useQuery({
    ...forwardingQuery,
    enabled: false,
    select: ({ unfinished }) => unfinished.find((one) => one.aliasId === aliasId) ?? null,
  });
  return data ?? undefined;
}

export function useSetUpAlias() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (aliasId: string) => call("setUpAlias", { params: { aliasId } }),
    onSettled: () => refetchForwarding(client),
  });
}
