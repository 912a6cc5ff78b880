/** What the reader of a mailbox says behind the link we sent, and the owner's button that asks again. */
import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

const keyOf = (token: string) => ["confirmation", token] as const;

/** Looking changes nothing. */
export function useConfirmation(token: string) {
  return useQuery({
    queryKey: keyOf(token),
    queryFn: async () => (await call("readConfirmation", { body: { token } })).state,
  });
}

export function useAnswerConfirmation(token: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: ConfirmationChoice) => call("answerConfirmation", { body: { token, choice } }),
    onSuccess: ({ state }) => client.setQueryData<ConfirmationState>(keyOf(token), state),
  });
}

/** For a mailbox that is suspended, since its host said that it does not exist. */
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
