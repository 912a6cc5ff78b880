import type { FirstSteps, TestStage } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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

const LOOK_MS = 400;
/** About a minute: a host that takes no mail by then is tried again by the queue. */
const LOOKS_MAX = 150;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));

/** Whether nothing more is to be seen soon. */
const isOver = (stages: readonly TestStage[]): boolean =>
  stages.some(({ name, state }) => state === "failed" || (name === "delivered" && state !== "running"));

/** Sends a test message and follows it. */
export function useTestMessage(userId: string) {
  const client = useQueryClient();
  const [stages, setStages] = useState<readonly TestStage[]>([]);
  const test = useMutation({
    mutationFn: async (aliasId: string) => {
      setStages([]);
      const { testId } = await call("sendTestMessage", { params: { aliasId } });
      for (let looks = 0; looks < LOOKS_MAX; looks++) {
        const { stages: seen } = await call("readTestMessage", { params: { aliasId, testId } });
        setStages(seen);
        if (isOver(seen)) return;
        await pause();
      }
    },
    // The first message makes the server ask the mailbox.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey }),
        client.invalidateQueries({ queryKey: ["mailboxes"], exact: true }),
        refetchAliases(client, userId),
      ]),
  });
  return { stages, send: test.mutate, isPending: test.isPending, error: test.error };
}
