/**
 * Calls about destination mailboxes: reading and answering a confirmation link, sending another one, and resuming
 * delivery to a suspended mailbox.
 */
import type { ConfirmationChoice, ConfirmationLinkStanding } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

const keyOf = (token: string) => ["confirmation", token] as const;

/**
 * Reads the present state of the mailbox that a confirmation link belongs to; the link can still be answered
 * afterwards.
 */
export function useConfirmation(token: string) {
  return useQuery({
    queryKey: keyOf(token),
    queryFn: () => call("readConfirmation", { body: { token } }),
  });
}

export function useAnswerConfirmation(token: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: ConfirmationChoice) => call("answerConfirmation", { body: { token, choice } }),
    onSuccess: (standing) => client.setQueryData<ConfirmationLinkStanding>(keyOf(token), standing),
  });
}

/** Resumes delivery to a mailbox that was suspended because its mail host reported that it does not exist. */
export function useResumeMailbox(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (address: string) => call("resumeMailbox", { body: { address } }),
    onSuccess: () => refetchAliases(client, userId),
  });
}

export function useAskConfirmation(userId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (address: string) => call("askConfirmation", { body: { address } }),
    onSuccess: () => refetchAliases(client, userId),
  });
}
