/** What the account has chosen. A change shows at once and is taken back if the server refuses. */
import type { AccountSettings } from "@kauke/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["account-settings"];

export const accountSettingsQuery = queryOptions({ queryKey, queryFn: () => call("getAccountSettings") });

export function useAccountSettings() {
  return useQuery(accountSettingsQuery);
}

export function useChangeAccountSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: AccountSettings) => call("changeAccountSettings", { body: settings }),
    onMutate: (settings) => {
      const before = client.getQueryData<AccountSettings>(queryKey);
      client.setQueryData<AccountSettings>(queryKey, settings);
      return before;
    },
    onSuccess: (settings) => client.setQueryData<AccountSettings>(queryKey, settings),
    onError: (_error, _settings, before) => client.setQueryData<AccountSettings>(queryKey, before),
  });
}
