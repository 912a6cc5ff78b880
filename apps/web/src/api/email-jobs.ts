import type { Body } from "@kauke/contract";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountSettingsQuery } from "./account-settings.ts";
import { aliasesQuery, refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

/** Aliases that can send are refetched on each visit, since their credentials are created on another page. */
export function useSendingAliases(userId: string) {
  return useQuery({
    queryKey: ["aliases", userId, "with-smtp"],
    queryFn: async () => (await call("listAliasesWithSmtp", { params: { userId } })).aliases,
    gcTime: 0,
  });
}

/** Separate from `useSmtpCalls`, since a further shared chunk would add its name to the landing page's script. */
export async function makeSmtpCredentials(client: QueryClient, userId: string, aliasId: string): Promise<void> {
  await call("createSmtpCredential", { body: { aliasId } });
  void client.invalidateQueries({ queryKey: ["smtp-credentials", aliasId] });
  void refetchAliases(client, userId);
}

const waitingKey = (userId: string) => ["email-jobs", userId];

/** Not polled: whoever learns of a job's end calls `refetchJobs`. */
export function useWaitingEmailJobs(userId: string) {
  return useQuery({
    queryKey: waitingKey(userId),
    queryFn: async () => (await call("listWaitingEmailJobs", { query: {} })).jobs,
    gcTime: 0,
  });
}

/** Jobs that ended within the last week. */
export function useEndedEmailJobs(userId: string) {
  return useQuery({
    queryKey: [...waitingKey(userId), "ended"],
    queryFn: async () => (await call("listWaitingEmailJobs", { query: { ended: "true" } })).ended ?? [],
    gcTime: 0,
  });
}

export function refetchJobs(client: QueryClient, userId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: waitingKey(userId) });
}

export function useCreateEmailJob(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<"createEmailJob">) => call("createEmailJob", { body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: waitingKey(userId) }),
    // gcTime 0, because the message's text must not stay in React Query's mutation cache.
    gcTime: 0,
  });
}

export const readJobStatus = (jobId: string) => call("getEmailJobStatus", { params: { jobId } });

export const cancelJob = (jobId: string) => call("cancelEmailJob", { params: { jobId } });

/** Reads the leak guard's setting anew for each message that the browser encrypts: the server can't search those. */
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
