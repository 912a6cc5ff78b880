/** The query library loads with the first page that needs it; all pages share one client. */
import { routes } from "@kauke/contract/routes";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { addRoutes } from "../api/client.ts";
import { onBack } from "../api/connection.ts";
import { startLive } from "../api/live/live-queries.ts";
import { onResume, onUserChange, readSession } from "../api/session/session.ts";
import { listenToTabs } from "../api/session/session-tabs.ts";

/** Queries: no retry, no refetch on focus, never stale (specification section 7); a failure shows a retry button. */
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
      // Mutation variables may be passwords, so they are dropped with the component.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  });
}

addRoutes(routes);

const client = makeQueryClient();
onUserChange(() => {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  client.getMutationCache().clear();
});

// A response after a time without, or the network again: what failed meanwhile and is shown is fetched again.
if (!import.meta.env.SSR) {
  onBack(() => void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" }));
  startLive(client);
}

// What could not be loaded is loaded now, and the rest may have changed.
onResume(() => void client.invalidateQueries());

// Another tab changed data: visible queries refetch now, others when next shown.
if (!import.meta.env.SSR)
  listenToTabs(({ kind }) => {
    if (kind !== "changed" || readSession().user === null) return;
    void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  });

export function withQueries<Props extends object = object>(Page: ComponentType<Props>): ComponentType<Props> {
  return function PageWithQueries(props) {
    return (
      <QueryClientProvider client={client}>
        <Page {...props} />
      </QueryClientProvider>
    );
  };
}
