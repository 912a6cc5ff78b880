/**
 * The query client. Server state is fetched once: no retry, no refetch on focus, never stale (specification section 7).
 * A failure shows a button that retries.
 */
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
      // Mutation variables, which may be passwords, are dropped as soon as no component uses the mutation.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  });
}
