/** Calls for composed mail: the aliases that can send, enqueuing a message, and the status of its job. */
import type { Body, WaitingEmailJob } from "@kauke/contract";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountSettingsQuery } from "./account-settings.ts";
import { aliasesQuery, refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

/**
 * Aliases that have SMTP credentials. Fetched again each time the page opens, since credentials are created on another
 * page.
 */
export function useSendingAliases(userId: string) {
  return useQuery({
    queryKey: ["aliases", userId, "with-smtp"],
    queryFn: async () => (await call("listAliasesWithSmtp", { params: { userId } })).aliases,
    gcTime: 0,
  });
}

/**
 * Creates SMTP credentials without showing their password. Apart from `useSmtpCalls`, so that the two pages share no
 * further chunk, whose name the landing page would load.
 */
export async function makeSmtpCredentials(client: QueryClient, userId: string, aliasId: string): Promise<void> {
  await call("createSmtpCredential", { body: { aliasId } });
  void client.invalidateQueries({ queryKey: ["smtp-credentials", aliasId] });
  void refetchAliases(client, userId);
}

const waitingKey = (userId: string) => ["email-jobs", userId];

/**
 * Queued messages of the user.
 * @param pollDelayMs computes the milliseconds until the next poll; `false`: no poll before another message is queued
 */
export function useWaitingEmailJobs(userId: string, pollDelayMs: (jobs: readonly WaitingEmailJob[]) => number | false) {
  return useQuery({
    queryKey: waitingKey(userId),
    queryFn: async () => (await call("listWaitingEmailJobs")).jobs,
    refetchInterval: ({ state }) => pollDelayMs(state.data ?? []),
    gcTime: 0,
  });
}

export function useCreateEmailJob(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<"createEmailJob">) => call("createEmailJob", { body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: waitingKey(userId) }),
    // The message's text must not stay in the mutation cache once the call has ended.
    gcTime: 0,
  });
}

export const readJobStatus = (jobId: string) => call("getEmailJobStatus", { params: { jobId } });

export const cancelJob = (jobId: string) => call("cancelEmailJob", { params: { jobId } });

/**
 * Reads the leak guard's setting and the alias' destinations afresh for each message that is encrypted in the browser,
 * because the server can't read such a message.
 */
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
