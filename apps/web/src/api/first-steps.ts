import type { FirstSteps, TestStage } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "./aliases.ts";
import { call } from "./client.ts";

const queryKey = ["first-steps"];

export function useFirstSteps() {
  return useQuery({ queryKey, queryFn: () => call("getFirstSteps") });
}

export function useHideFirstSteps() {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: () => call("changeAccountSettings", { body: { hidesFirstSteps: true } }),
    onSuccess: () => client.setQueryData<FirstSteps>(queryKey, (steps) => steps && { ...steps, isHidden: true }),
  });
  return mutate;
}

/** As for a message that is being sent; where events come, they are sooner. */
const LOOK_MS = 2000;
/** About a minute: a host that takes no mail by then is tried again by the queue. */
const LOOKS_MAX = 30;

interface Looks {
  stages: readonly TestStage[];
  count: number;
}

/** Whether nothing more is to be seen soon. */
const isOver = ({ stages, count }: Looks): boolean =>
  count >= LOOKS_MAX ||
  stages.some(({ name, state }) => state === "failed" || (name === "delivered" && state !== "running"));

/** Sends a test message and follows it. */
export function useTestMessage(userId: string) {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: async (aliasId: string) => ({
      aliasId,
      ...(await call("sendTestMessage", { params: { aliasId } })),
    }),
  });
  const refetchShown = () =>
    Promise.all([
      client.invalidateQueries({ queryKey }),
      client.invalidateQueries({ queryKey: ["mailboxes"], exact: true }),
      refetchAliases(client, userId),
    ]);
  const sent = test.data;
  const seen = useQuery({
    queryKey: ["test-message", sent?.testId],
    enabled: sent !== undefined,
    queryFn: async ({ queryKey: own }): Promise<Looks> => {
      const { aliasId = "", testId = "" } = sent ?? {};
      const { stages } = await call("readTestMessage", { params: { aliasId, testId } });
      const looks = { stages, count: (client.getQueryData<Looks>(own)?.count ?? 0) + 1 };
      // The first message makes the server ask the mailbox.
      if (isOver(looks)) void refetchShown();
      return looks;
    },
    refetchInterval: ({ state: { data, error } }) =>
      error !== null || (data !== undefined && isOver(data)) ? false : LOOK_MS,
  });
  const looks = sent === undefined ? undefined : seen.data;
  const error = test.error ?? seen.error;
  const isFollowed = sent !== undefined && error === null && (looks === undefined || !isOver(looks));
  return { stages: looks?.stages ?? [], send: test.mutate, isPending: test.isPending || isFollowed, error };
}
