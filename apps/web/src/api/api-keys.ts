/** A new key's secret goes to the caller only and is never cached. */
import type { ApiKeyWire, CreateApiKeyBody } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["api-keys"];

export function useApiKeys() {
  return useQuery({ queryKey, queryFn: async () => (await call("listApiKeys")).keys });
}

/** Not a React Query mutation: the mutation cache would hold the new key's secret. */
export function useCreateApiKey(): (body: CreateApiKeyBody) => Promise<{ key: ApiKeyWire; secret: string }> {
  const client = useQueryClient();
  return async (body) => {
    const created = await call("createApiKey", { body });
    client.setQueryData<ApiKeyWire[]>(queryKey, (keys) => (keys === undefined ? undefined : [created.key, ...keys]));
    return created;
  };
}

export function useRevokeApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) => call("deleteApiKey", { params: { keyId } }),
    onSuccess: (_, keyId) =>
      client.setQueryData<ApiKeyWire[]>(queryKey, (keys) => keys?.filter((key) => key.id !== keyId)),
  });
}
