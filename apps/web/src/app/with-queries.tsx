/** The query library around a page that uses it. It comes with the first such page; all of them share one client. */
import { QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { onUserChange, readSession } from "../api/session/session.ts";
import { listenToTabs } from "../api/session/session-tabs.ts";
import { makeQueryClient } from "./query-client.ts";

const client = makeQueryClient();
onUserChange(() => {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  client.getMutationCache().clear();
});

// A change in another tab shows here: what is on the screen is asked for again at once, the rest when it is next shown.
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
