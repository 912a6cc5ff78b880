import type { AccountSettings, AccountSettingsChange } from "@kauke/contract";
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
    mutationFn: (body: AccountSettingsChange) => call("changeAccountSettings", { body }),
    onMutate: (change) => {
      const before = client.getQueryData<AccountSettings>(queryKey);
      client.setQueryData<AccountSettings>(queryKey, (settings) =>
        settings === undefined ? undefined : { ...settings, ...change },
      );
      return before;
    },
    onSuccess: (settings) => client.setQueryData<AccountSettings>(queryKey, settings),
    onError: (_error, _change, before) => client.setQueryData<AccountSettings>(queryKey, before),
  });
}

/** The account's drafts in this browser go with it. */
async function deleteAccount() {
  const { prepareWipe } = await import("../drafts/drafts.ts");
  const wipe = await prepareWipe();
  const deleted = await call("deleteAccount");
  await wipe();
  return deleted;
}

export function useDeleteAccount() {
  return useMutation({ mutationFn: deleteAccount, meta: { endsSession: true } });
}
