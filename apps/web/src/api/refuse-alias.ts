import { useMutation, useQueryClient } from "@tanstack/react-query";
import { refetchDomains } from "./account-domains.ts";
import { changeList, refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

/** Deletes an alias, whose name no mail makes again. */
export function useRefuseAlias(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (aliasId: string) => call("refuseAlias", { params: { aliasId } }),
    onSuccess: (_, aliasId) => {
      changeList(client, userId, (aliases) => aliases.filter(({ id }) => id !== aliasId));
      void refetchDomains(client);
    },
    onError: () => refetchAliases(client, userId),
  });
}
