/** The query library around a page that uses it. It comes with the first such page; all of them share one client. */
import { QueryClientProvider } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { onUserChange } from "../api/session.ts";
import { makeQueryClient } from "./query-client.ts";

const client = makeQueryClient();
onUserChange(() => {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== "domains" });
  client.getMutationCache().clear();
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
