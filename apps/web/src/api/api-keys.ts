/** The account's API keys. The secret of a new key is returned to the caller only and is never cached. */
import type { ApiKeyWire, CreateApiKeyBody } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["api-keys"];

/** Query for the account's API keys, newest first. */
export function useApiKeys() {
  return useQuery({ queryKey, queryFn: async () => (await call("listApiKeys")).keys });
}

/** Creates an API key. Not a React Query mutation, because the mutation cache would keep the new key's secret. */
export function useCreateApiKey(): (body: CreateApiKeyBody) => Promise<{ key: ApiKeyWire; secret: string }> {
  const client = useQueryClient();
  return async (body) => {
    const answer = await call("createApiKey", { body });
    client.setQueryData<ApiKeyWire[]>(queryKey, (keys) => (keys === undefined ? undefined : [answer.key, ...keys]));
    return answer;
  };
}

export function useRevokeApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (keyId: string) => call("deleteApiKey", { params: { keyId } }),
    onSuccess: (_answer, keyId) =>
      client.setQueryData<ApiKeyWire[]>(queryKey, (keys) => keys?.filter((key) => key.id !== keyId)),
  });
}
