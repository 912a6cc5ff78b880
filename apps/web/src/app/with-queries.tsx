/**
 * Wraps a page in the query library's provider. The library loads with the first such page; all pages share one client.
 */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { onUserChange, readSession } from "../api/session/session.ts";
import { listenToTabs } from "../api/session/session-tabs.ts";

/**
 * The query client. Server state is fetched once: no retry, no refetch on focus, never stale (specification section 7).
 * A failure shows a button that retries.
 */
function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: Infinity,
        networkMode: "always",
      },
      // Mutation variables, which may be passwords, are dropped as soon as no component uses the mutation.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  });
}

const client = makeQueryClient();
onUserChange(() => {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  client.getMutationCache().clear();
});

// A change in another tab invalidates this tab's data: visible queries are refetched at once, others when next shown.
if (!import.meta.env.SSR)
  listenToTabs(({ kind }) => {
    if (kind !== "changed" || readSession().user === null) return;
    void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  });

export function withQueries(Page: ComponentType): ComponentType {
  return function PageWithQueries() {
    return (
      <QueryClientProvider client={client}>
        <Page />
      </QueryClientProvider>
    );
  };
}
