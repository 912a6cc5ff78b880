/** State of aliases at the forwarding provider. Without a provider no request is made; while some wait, it is polled. */
import type { ForwardingWire } from "@kauke/contract";
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "./client.ts";

const queryKey = ["forwarding"];
const forwardingQuery = queryOptions({ queryKey, queryFn: () => call("getForwarding") });

/** Time in which the provider usually carries a change out. */
const SOON_MS = 30_000;
const OFTEN_MS = 2000;
const RARELY_MS = 10_000;

/** Milliseconds until the next request; `false` if nothing waits. @param data `undefined` before a response */
export function pollMs(data: ForwardingWire | undefined, sinceChangeMs: number): number | false {
  if (data !== undefined && data.counts.waiting + data.counts.failed === 0) return false;
  return sinceChangeMs < SOON_MS ? OFTEN_MS : RARELY_MS;
}

/** By `Date.now()`. */
let changedAt = 0;

/** Asks again after a change of an alias, or of what aliases depend on; nothing happens with our own engine. */
export function refetchForwarding(client: QueryClient): Promise<void> {
  changedAt = Date.now();
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

/** To be used once on a page: each use polls. Hidden pages don't, and ask when they are shown again. */
export function useForwardingWatch(): ForwardingWire | undefined {
  const client = useQueryClient();
  useEffect(() => {
    changedAt = Date.now();
    return client.getMutationCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "success") return;
      if (event.mutation.options.meta?.["endsSession"] !== true) void refetchForwarding(client);
    });
  }, [client]);
  const { data } = useQuery({
    ...forwardingQuery,
    refetchOnMount: "always",
    refetchOnWindowFocus: "always",
    refetchInterval: (query) => pollMs(query.state.data, Date.now() - changedAt),
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
