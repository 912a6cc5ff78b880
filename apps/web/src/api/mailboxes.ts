/** The account's mailboxes, and its defaults for new aliases. */
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

/** Query for the account's mailboxes, oldest first. */
export function useMailboxes() {
  return useQuery(mailboxesQuery);
}

/** Like `useMailboxes`, but fetches the mailboxes on every mount: aliases created since may have added some. */
export function useFreshMailboxes() {
  return useQuery({ ...mailboxesQuery, refetchOnMount: "always" });
}

/** Query for the aliases that forward to a mailbox; never served from the cache. */
export function useMailboxAliases(mailboxId: string) {
  return useQuery({
    queryKey: [...mailboxesKey, mailboxId, "aliases"],
    queryFn: async () => (await call("listMailboxAliases", { params: { mailboxId } })).aliases,
    gcTime: 0,
  });
}

export function useAccountDefaults() {
  return useQuery({ queryKey: defaultsKey, queryFn: () => call("getAccountDefaults") });
}

/** Refetches the mailboxes and the account's defaults after the list of mailboxes has changed. */
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

/** Changes the account's defaults for new aliases; shown at once, and rolled back if the server refuses. */
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

/** Asks the server for a generated name that is free at this moment; no alias is created. */
export function useGenerateName(userId: string) {
  return useMutation({
    mutationFn: (body: Body<"generateName">) => call("generateName", { params: { userId }, body }),
  });
}

/**
 * Calls about destination mailboxes: reading and answering a confirmation link, sending another one, and resuming
 * delivery to a suspended mailbox.
 */

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
