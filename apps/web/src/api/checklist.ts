/** Ticks are shown at once and removed again if the server refuses them. */
import type { ChecklistChange, ChecklistRowWire, NewChecklistRow } from "@kauke/contract";
import { limits } from "@kauke/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["checklist"];

export function useChecklist() {
  return useQuery({ queryKey, queryFn: async () => (await call("listChecklist")).rows });
}

function withChanges(rows: readonly ChecklistRowWire[], changes: readonly ChecklistChange[]): ChecklistRowWire[] {
  const byId = new Map(changes.map((change) => [change.id, change]));
  return rows.flatMap((row) => {
    const { remove = false, done = row.done, aliasId = row.aliasId } = byId.get(row.id) ?? {};
    return remove ? [] : [{ ...row, done, aliasId }];
  });
}

/** Splits the rows into calls of the size the server accepts; resolves to how many were new. */
export function useAddToChecklist() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (rows: readonly NewChecklistRow[]) => {
      let added = 0;
      for (let from = 0; from < rows.length; from += limits.checklistRowsPerCall) {
        const part = rows.slice(from, from + limits.checklistRowsPerCall);
        added += (await call("addToChecklist", { body: { rows: part } })).added;
      }
      return added;
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

export function useChangeChecklist() {
  const client = useQueryClient();
  return useMutation({
    scope: { id: "checklist" },
    mutationFn: (changes: ChecklistChange[]) => call("changeChecklist", { body: { changes } }),
    onMutate: async (changes) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData<ChecklistRowWire[]>(queryKey, (rows) =>
        rows === undefined ? undefined : withChanges(rows, changes),
      );
    },
    onError: () => client.invalidateQueries({ queryKey }),
  });
}

export function useDeleteChecklist() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call("deleteChecklist"),
    onSuccess: () => client.setQueryData<ChecklistRowWire[]>(queryKey, []),
  });
}
