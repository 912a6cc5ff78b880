/** Server state is asked once: no retry, no refetch on focus, never stale (specification section 7). Failures show a button. */
import { QueryClient } from "@tanstack/react-query";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: Infinity,
        networkMode: "always",
      },
      // What was sent, passwords among it, is not kept once nothing shows how it went.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  });
}
