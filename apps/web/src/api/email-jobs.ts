/** Composed mail: the aliases that can send, queuing, and how far a message is. */
import type { Body, WaitingEmailJob } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountSettingsQuery } from "./account-settings.ts";
import { aliasesQuery } from "./aliases.ts";
import { call } from "./client.ts";

/** Asked anew each time the page opens: credentials are made elsewhere. */
export function useSendingAliases(userId: string) {
  return useQuery({
    queryKey: ["aliases", userId, "with-smtp"],
    queryFn: async () => (await call("listAliasesWithSmtp", { params: { userId } })).aliases,
    gcTime: 0,
  });
}

const waitingKey = (userId: string) => ["email-jobs", userId];

/** @param askAgainMs how long what was found holds; false: until something is queued */
export function useWaitingEmailJobs(userId: string, askAgainMs: (jobs: readonly WaitingEmailJob[]) => number | false) {
  return useQuery({
    queryKey: waitingKey(userId),
    queryFn: async () => (await call("listWaitingEmailJobs")).jobs,
    refetchInterval: ({ state }) => askAgainMs(state.data ?? []),
    gcTime: 0,
  });
}

export function useCreateEmailJob(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<"createEmailJob">) => call("createEmailJob", { body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: waitingKey(userId) }),
    // What was written needs no longer life here than the call.
    gcTime: 0,
  });
}

export const readJobStatus = (jobId: string) => call("getEmailJobStatus", { params: { jobId } });

export const cancelJob = (jobId: string) => call("cancelEmailJob", { params: { jobId } });

/** What the leak guard goes by, asked anew at each letter that is encrypted here: the server can't look into those. */
export function useReadLeakGuard(userId: string) {
  const client = useQueryClient();
  return async (aliasId: string): Promise<{ isOn: boolean; forwardTo: string }> => {
    const [settings, aliases] = await Promise.all([
      client.fetchQuery({ ...accountSettingsQuery, staleTime: 0 }),
      client.fetchQuery({ ...aliasesQuery(userId), staleTime: 0 }),
    ]);
    return { isOn: settings.leakGuard, forwardTo: aliases.find(({ id }) => id === aliasId)?.forwardTo ?? "" };
  };
}
