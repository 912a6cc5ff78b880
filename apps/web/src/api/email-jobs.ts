/** Composed mail: the aliases that can send, queuing, and how far a message is. */
import type { Body } from "@kauke/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

/** Asked anew each time the page opens: credentials are made elsewhere. */
export function useSendingAliases(userId: string) {
  return useQuery({
    queryKey: ["aliases", userId, "with-smtp"],
    queryFn: async () => (await call("listAliasesWithSmtp", { params: { userId } })).aliases,
    gcTime: 0,
  });
}

export function useCreateEmailJob() {
  return useMutation({ mutationFn: (body: Body<"createEmailJob">) => call("createEmailJob", { body }) });
}

export const readJobStatus = (jobId: string) => call("getEmailJobStatus", { params: { jobId } });

export const cancelJob = (jobId: string) => call("cancelEmailJob", { params: { jobId } });
