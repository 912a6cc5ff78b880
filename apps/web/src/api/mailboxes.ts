import type {
  AccountDefaultsChange,
  AccountDefaultsWire,
  Body,
  ConfirmationChoice,
  ConfirmationLinkStanding,
} from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

const mailboxesKey = ["mailboxes"];
const defaultsKey = ["account-defaults"];

const mailboxesQuery = {
  queryKey: mailboxesKey,
  queryFn: async () => (await call("listMailboxes")).mailboxes,
};

export function useMailboxes() {
  return useQuery(mailboxesQuery);
}

/** Refetches on every mount: aliases created since may have added mailboxes. */
export function useFreshMailboxes() {
  return useQuery({ ...mailboxesQuery, refetchOnMount: "always" });
}

/** Aliases that forward to the mailbox; never cached. @param isThere not while it is being removed, nor afterwards */
export function useMailboxAliases(mailboxId: string, isThere: boolean) {
  return useQuery({
    queryKey: [...mailboxesKey, mailboxId, "aliases"],
    queryFn: async () => (await call("listMailboxAliases", { params: { mailboxId } })).aliases,
    enabled: isThere,
    gcTime: 0,
  });
}

export function useAccountDefaults() {
  return useQuery({ queryKey: defaultsKey, queryFn: () => call("getAccountDefaults") });
}

function useRefetchMailboxes() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: mailboxesKey, exact: true }),
      client.invalidateQueries({ queryKey: defaultsKey }),
    ]);
}

export function useAddMailbox() {
  const refetch = useRefetchMailboxes();
  return useMutation({
    mutationFn: (address: string) => call("addMailbox", { body: { address } }),
    onSuccess: () => refetch(),
  });
}

export function useRemoveMailbox(userId: string) {
  const client = useQueryClient();
  const refetch = useRefetchMailboxes();
  return useMutation({
    mutationFn: (mailboxId: string) => call("removeMailbox", { params: { mailboxId } }),
    onSuccess: () => Promise.all([refetch(), refetchAliases(client, userId)]),
  });
}

export function useChangeDefaults() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: AccountDefaultsChange) => call("changeAccountDefaults", { body }),
    onMutate: (change) => {
      const before = client.getQueryData<AccountDefaultsWire>(defaultsKey);
      client.setQueryData<AccountDefaultsWire>(defaultsKey, (defaults) =>
        defaults === undefined ? undefined : { ...defaults, ...change },
      );
      return before;
    },
    onSuccess: (defaults, { mailboxId }) => {
      client.setQueryData<AccountDefaultsWire>(defaultsKey, defaults);
      if (mailboxId !== undefined) return client.invalidateQueries({ queryKey: mailboxesKey, exact: true });
    },
    onError: (_error, _change, before) => client.setQueryData<AccountDefaultsWire>(defaultsKey, before),
  });
}

export function useGenerateName(userId: string) {
  return useMutation({
    mutationFn: (body: Body<"generateName">) => call("generateName", { params: { userId }, body }),
  });
}

const keyOf = (token: string) => ["confirmation", token] as const;

/** Reading a confirmation link doesn't use it up. */
export function useConfirmation(token: string) {
  return useQuery({
    queryKey: keyOf(token),
    queryFn: () => call("readConfirmation", { body: { token } }),
  });
}

export function useDecideConfirmation(token: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: ConfirmationChoice) => call("answerConfirmation", { body: { token, choice } }),
    onSuccess: (standing) => client.setQueryData<ConfirmationLinkStanding>(keyOf(token), standing),
  });
}

/** A mailbox is suspended after its host reported that it does not exist. */
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
